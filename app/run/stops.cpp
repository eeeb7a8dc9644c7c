#include "run/stops.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include "run/run_files.hpp"
#include "run/signals.hpp"

namespace kumiko::app {

Stops::Stops(const Setup& setup, RunFiles* files, double wall_s_before)
    : setup_(setup),
      files_(files),
      checkpoints_(setup.run.checkpoints.steps, amr::Times(setup.run.checkpoint_interval)),
      wall_s_before_(wall_s_before) {}

void Stops::after_round(const amr::Simulation& simulation, const io::RunHistory& history,
                        double before, bool is_written) {
  longest_round_s_ = std::max(longest_round_s_, since(round_begin_));
  const bool ends = !setup_.is_over(simulation) && must_end();
  const bool is_due =
      is_due_now() || checkpoints_.is_now(simulation.step(), before, history.reached.value());
  if (files_ != nullptr && (ends || is_due)) {
    if (ends || !is_written) files_->checkpoint(simulation, history);
    latest_ = Clock::now();
    none_yet_ = false;
  }
  if (ends) end(simulation);
  round_begin_ = Clock::now();
}

/// True if a checkpoint is due by clock or signal.
bool Stops::is_due_now() const {
  const bool is_requested = take_checkpoint_request();
  // The first one shows how long a checkpoint takes before the limit.
  const bool is_first = setup_.run.wall_limit_s > 0.0 && none_yet_;
  const double every_s = setup_.run.checkpoints.seconds;
  return is_requested || is_first || (every_s > 0.0 && since(latest_) >= every_s);
}

/// True if a signal requests the end, or the time left hardly suffices for another round and a
/// checkpoint.
bool Stops::must_end() const {
  if (end_requested()) return true;
  const double checkpoint_s = files_ != nullptr ? files_->checkpoint_s() : 0.0;
  const double reserve = 2.0 * (longest_round_s_ + checkpoint_s);
  return setup_.run.wall_limit_s > 0.0 && since(start_) + reserve >= setup_.run.wall_limit_s;
}

void Stops::end(const amr::Simulation& simulation) const {
  if (files_ != nullptr) files_->settle();
  const int signal = ending_signal();
  const std::string why = signal != 0
                              ? fmt::format("signal {} (SIG{})", signal, sigabbrev_np(signal))
                              : std::string("time.wall_limit");
  throw std::runtime_error(fmt::format("ended by {} after base step {}; the run is not complete",
                                       why, simulation.step()));
}

}  // namespace kumiko::app
