// Ends a run early, or writes a checkpoint of it, by clock and signals.
#pragma once

#include <chrono>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/state_writer.hpp>

#include "run/due.hpp"
#include "run/setup.hpp"

namespace kumiko::app {

class RunFiles;

/// The checkpoints and the early end of a run, between the rounds of its loop.
class Stops {
 public:
  /// \param files  get the checkpoints; nullptr: there are none
  Stops(const Setup& setup, RunFiles* files, double wall_s_before);

  /// Seconds that the run has taken so far, with its earlier parts.
  double wall_s() const { return wall_s_before_ + since(start_); }

  const Due& checkpoints() const { return checkpoints_; }

  /// Call it after a round. Throws std::runtime_error when the run must end here.
  /// \param before      time that the round before has reached; this one's is in the history
  /// \param is_written  whether the state goes into a file of its own anyway
  void after_round(const amr::Simulation& simulation, const io::RunHistory& history, double before,
                   bool is_written);

 private:
  using Clock = std::chrono::steady_clock;

  static double since(Clock::time_point when) {
    return std::chrono::duration<double>(Clock::now() - when).count();
  }
  bool is_due_now() const;
  bool must_end() const;
  [[noreturn]] void end(const amr::Simulation& simulation) const;

  const Setup& setup_;
  RunFiles* files_;
  Due checkpoints_;
  double wall_s_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point latest_ = start_;       ///< checkpoint
  Clock::time_point round_begin_ = start_;  ///< of the current round
  double longest_round_s_ = 0.0;
  bool none_yet_ = true;  ///< no checkpoint
};

}  // namespace kumiko::app
