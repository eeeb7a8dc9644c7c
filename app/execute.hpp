// One run from its initial state to its last step, and the figures of it.
#pragma once

#include <functional>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/summary.hpp>

#include "problem.hpp"

namespace kumiko::app {

/// What happens during the stepping loop, beyond stepping.
struct Hooks {
  /// Called at step 0, every `every` base steps, and at the last one.
  std::function<void(const amr::Simulation&)> diagnose = [](const amr::Simulation&) {};
  int every = 10;
  /// Called every `output_every` base steps (0 = never), and at the last one.
  std::function<void(const amr::Simulation&)> output = [](const amr::Simulation&) {};
  int output_every = 0;
  /// Called when base steps problem.trace_from to problem.trace_until have been traced, to call
  /// backend.stop_trace(). Without it nothing is traced.
  std::function<void()> end_trace;
  /// Called between parts of the loop.
  std::function<void(const amr::Simulation&)> progress = [](const amr::Simulation&) {};
};

/// Steps a simulation to problem.stop_step. Throws std::runtime_error when a signal asks to end or
/// the field holds values that are not finite.
io::RunSummary execute(const Problem& problem, amr::Backend& backend, amr::Simulation& simulation,
                       const Hooks& hooks);

/// Lets SIGINT and SIGTERM end execute() at its next stop.
void end_on_signals();

}  // namespace kumiko::app
