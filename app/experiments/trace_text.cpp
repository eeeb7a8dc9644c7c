#include "experiments/trace_text.hpp"

#include <fmt/core.h>

namespace kumiko::app {

std::size_t base_steps(const amr::Trace& trace) {
  std::size_t steps = 0;
  for (const amr::TraceWindow& window : trace.windows) {
    steps += static_cast<std::size_t>(window.steps);
  }
  return steps;
}

std::string trace_heading(const amr::Trace& trace, const std::string& recorded) {
  const std::string name = trace.case_name.empty() ? "(no name)" : trace.case_name;
  return fmt::format("case {}, solver {}; recorded: {}", name, trace.solver, recorded);
}

std::string disturbance_note(double share) {
  constexpr double kWorthANote = 0.02;
  if (share <= kWorthANote) return {};
  return fmt::format(
      "note: {:.0f} % of the pieces' time is in pieces that took more than 20 times as long as "
      "usual; was the machine busy? Record the trace anew\n",
      100.0 * share);
}

}  // namespace kumiko::app
