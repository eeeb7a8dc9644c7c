// Computes the largest magnitude of each component of a field.
#pragma once

#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// The largest magnitude of each component of states `now`, over the interiors of all ranks'
/// patches, all of whom call it. Points that finer ones cover count too: they hold nothing larger.
/// By one driver. O(points), on the backend's workers.
std::vector<double> largest_magnitudes(const Hierarchy& hierarchy, Backend& backend,
                                       Communicator& communicator);

/// This rank's part of largest_magnitudes(): the largest of all ranks' parts are its result.
/// Communicates with no other rank.
std::vector<double> own_magnitudes(const Hierarchy& hierarchy, Backend& backend);

/// As largest_magnitudes(), with the ghosts of all patches among the points.
std::vector<double> largest_magnitudes_with_ghosts(const Hierarchy& hierarchy, Backend& backend,
                                                   Communicator& communicator);

}  // namespace kumiko::amr
