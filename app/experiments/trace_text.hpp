// Texts of reports of predictions about the trace that they come from.
#pragma once

#include <cstddef>
#include <string>

#include <kumiko/amr/trace.hpp>

namespace kumiko::app {

/// How many base steps a trace holds.
std::size_t base_steps(const amr::Trace& trace);

/// "case A, solver B; recorded: ..."
std::string trace_heading(const amr::Trace& trace, const std::string& recorded);

/// A line about a trace's disturbed_share(), if that makes a prediction doubtful; else empty.
std::string disturbance_note(double share);

}  // namespace kumiko::app
