// The checks of a case: each returns one finding, and what it throws becomes a failed one.
#pragma once

#include "conformance/case/places.hpp"

namespace kumiko::plugin::conformance {

// case_values.cpp
Finding check_finite(CaseSubject& subject);
Finding check_exact_at_0(CaseSubject& subject);
Finding check_sides(CaseSubject& subject);
Finding check_seam(CaseSubject& subject);
// case_flow.cpp
Finding check_stream(CaseSubject& subject);
Finding check_divergence(CaseSubject& subject);
Finding check_steadiness(CaseSubject& subject);
Finding check_factor(CaseSubject& subject);
// case_paths.cpp
Finding check_exact_displacement(CaseSubject& subject);
Finding check_transport(CaseSubject& subject);
// case_repetition.cpp
Finding check_case_determinism(CaseSubject& subject);
Finding check_case_thread_safety(CaseSubject& subject);

}  // namespace kumiko::plugin::conformance
