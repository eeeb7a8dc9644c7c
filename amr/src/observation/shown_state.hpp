// Shows a case the state of a run.
#pragma once

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// Calls Case::observe() with this rank's patches. All ranks call it between base steps; where
/// one of them throws, all do: std::runtime_error with the case's text, step and time.
void show_state(const Case& problem, const Hierarchy& hierarchy, int step, double time, double dt,
                Communicator& communicator);

}  // namespace kumiko::amr
