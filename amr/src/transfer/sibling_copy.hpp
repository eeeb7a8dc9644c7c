// Ghosts from neighbours of the same level: copies of known shape.
#pragma once

#include <span>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// Copies what a patch reads of its siblings, in their same state, to its ghosts in `target`. The
/// sizes of rows, columns and corners are constants, so that these are a few loads and stores.
using SiblingCopy = void (*)(const Level& level, std::span<const PlannedRead> reads, State state,
                             PatchView target);

/// The copy for a number of ghost layers, 1..8.
SiblingCopy sibling_copy(int ghosts);

}  // namespace kumiko::amr
