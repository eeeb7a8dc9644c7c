#include "run/trace_taker.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <fmt/core.h>

#include "run/due.hpp"
#include "run/progress.hpp"
#include "run/run_files.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// Steps from `step` to `target`, if that lies ahead.
int up_to(int step, int target) { return target > step ? target - step : kLongestRound; }

void warn_of_memory(const std::string& for_what) {
  erase_progress();
  print_warning("there is not enough memory for {}; lower trace.steps", for_what);
}

}  // namespace

int TraceTaker::next(int step) const {
  return std::min(up_to(step, setup_.trace_from), up_to(step, setup_.trace_until));
}

void TraceTaker::before(amr::Simulation& simulation) {
  if (files_ == nullptr || simulation.step() != setup_.trace_from) return;
  simulation.start_trace();
  is_open_ = true;
}

void TraceTaker::after(amr::Simulation& simulation) {
  if (!is_open_) return;
  const bool is_full = simulation.trace_is_full();
  const bool is_over = simulation.step() == setup_.trace_until || setup_.is_over(simulation);
  if (!is_full && !is_over) return;
  is_open_ = false;
  try {
    amr::Trace trace = simulation.stop_trace();
    if (is_full) {
      warn_of_memory(fmt::format("more of the trace: it ends after {} base steps", steps(trace)));
    }
    hand_over(std::move(trace));
  } catch (const std::bad_alloc&) {
    warn_of_memory("the trace, which is lost");
  }
}

void TraceTaker::end(const amr::Simulation& simulation) const {
  if (files_ == nullptr || simulation.step() > setup_.trace_from) return;
  print_warning("there is no trace: the run has ended before base step {}; lower trace.from",
                setup_.trace_from);
}

void TraceTaker::save(amr::Simulation& simulation) noexcept {
  if (!std::exchange(is_open_, false)) return;
  try {
    amr::Trace trace = simulation.stop_trace();
    if (!trace.pieces.empty()) hand_over(std::move(trace));
  } catch (const std::exception&) {
    // The failure of the run is the one to report.
  }
}

void TraceTaker::hand_over(amr::Trace trace) const {
  trace.case_name = setup_.run.case_name;
  files_->end_trace(std::move(trace));
}

/// The base steps that a trace holds.
int TraceTaker::steps(const amr::Trace& trace) const {
  if (trace.windows.empty()) return 0;
  const amr::TraceWindow& last = trace.windows.back();
  return last.first_step + last.steps - setup_.trace_from;
}

}  // namespace kumiko::app
