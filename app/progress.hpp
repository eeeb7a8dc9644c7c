// Shows how a run is getting on.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <kumiko/amr/simulation.hpp>

#include "status.hpp"
#include "terminal.hpp"

namespace kumiko::app {

/// Rewrites one line of stderr at most five times a second: name, bar, share done, time left, point
/// updates a second, load-balance efficiency so far, patches per level; as much of it, in this
/// order, as the terminal has room for. Silent when stderr is not a terminal. Answers SIGUSR2 by a
/// Status in any case.
class Progress {
 public:
  /// Shows the steps from where the simulation stands. After hold_status_signal().
  Progress(bool quiet, std::string label, const amr::Simulation& simulation, int last_step);
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Not while the simulation advances.
  void show(const amr::Simulation& simulation);

 private:
  using Clock = std::chrono::steady_clock;

  Terminal terminal_ = Terminal::of_stderr();
  bool visible_;
  bool shown_ = false;
  std::string label_;
  int last_step_;
  int first_step_;
  std::uint64_t updates_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
  Status status_;
};

}  // namespace kumiko::app
