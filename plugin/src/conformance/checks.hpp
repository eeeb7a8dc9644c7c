// The conformance checks: each returns one finding, and what it throws becomes a failed one.
#pragma once

#include "conformance/subject.hpp"

namespace kumiko::plugin::conformance {

// declaration.cpp
Finding check_declaration(Subject& subject);
// memory.cpp
Finding check_memory(Subject& subject);
// ghost_width.cpp
Finding check_ghost_width(Subject& subject);
// invariance.cpp
Finding check_constants(Subject& subject);
Finding check_symmetry(Subject& subject);
Finding check_translation(Subject& subject);
// order.cpp
Finding check_order(Subject& subject);
// stability.cpp
Finding check_stability(Subject& subject);
// robustness.cpp
/// Describes the values that are not finite after a step from finite data; empty if all are finite,
/// or if no step is possible.
std::string values_not_finite(const Subject& subject);
Finding check_nan_input(Subject& subject);
Finding check_state_cfl(Subject& subject);
Finding check_displacement(Subject& subject);
// fluxes.cpp
Finding check_fluxes(Subject& subject);
Finding check_tendency(Subject& subject);
// repetition.cpp
Finding check_determinism(Subject& subject);
Finding check_thread_safety(Subject& subject);
// speed.cpp
Finding check_speed(Subject& subject);

}  // namespace kumiko::plugin::conformance
