// The field's values at points of the domain: of the present state, and of watched points.
#pragma once

#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/simulation.hpp>

#include "simulation/run.hpp"

namespace kumiko::amr {

// All ranks call these, with the same arguments, inside Backend::run().

/// As Simulation::value_at(), of points that have been checked; all ranks get the same.
std::vector<std::vector<double>> point_values(Run& run, Points points);

/// The values of Simulation::watch() after the base steps that the latest window has taken from
/// base step `first` by this clock. For rank 0; the others get none.
std::vector<WatchedValues> watched_values(Run& run, int first, const StepClock& clock);

}  // namespace kumiko::amr
