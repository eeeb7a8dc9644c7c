// The field's values at any points of the domain.
#pragma once

#include <vector>

#include <kumiko/amr/case.hpp>

#include "simulation/run.hpp"

namespace kumiko::amr {

/// Throws std::invalid_argument for a point outside the domain.
void check_points(const Geometry& geometry, Points points);

/// As Simulation::value_at(), of points that have been checked. All ranks call it, with the same
/// points, inside Backend::run(); all get the same.
std::vector<std::vector<double>> point_values(Run& run, Points points);

}  // namespace kumiko::amr
