// Ghosts from a neighbour of the same level: copies of known shape.
#pragma once

#include <array>

namespace kumiko::amr {

/// Copies the ghosts on one side or corner of a patch from the interior of the neighbour there.
/// Both address point (0, 0) of a component. Sizes and distances are constants, so that these are a
/// few loads and stores.
using SideCopy = void (*)(const double* __restrict from, double* __restrict to);

/// The copies for a number of ghost layers, 1..8, by direction (kDirections).
const std::array<SideCopy, 8>& side_copies(int ghosts);

}  // namespace kumiko::amr
