// Takes one run from its initial state to its last step, and returns its summary.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/io/summary.hpp>

#include "problem.hpp"

namespace kumiko::app {

/// What happens during the stepping loop, beyond stepping.
struct Hooks {
  /// Called at step 0, every `every` base steps, and at the last one.
  std::function<void(const amr::Simulation&)> diagnose = [](const amr::Simulation&) {};
  int every = 10;
  /// Called every `output_every` base steps (0 = never), and at the last one.
  std::function<void(const amr::Simulation&, const io::RunHistory&)> output =
      [](const amr::Simulation&, const io::RunHistory&) {};
  int output_every = 0;
  /// Begins to write a checkpoint: as problem.checkpoints says, on SIGUSR1, and before the run ends
  /// early. Without it there are none.
  std::function<void(const amr::Simulation&, const io::RunHistory&)> checkpoint;
  /// Waits until what was begun is in its files.
  std::function<void()> settle = [] {};
  /// How long a checkpoint takes, at most, as far as is known.
  std::function<double()> checkpoint_s = [] { return 0.0; };
  /// Called with the trace of base steps problem.trace_from to problem.trace_until, or as many of
  /// them as there was room for. Without it no trace is recorded.
  std::function<void(amr::Trace)> end_trace;
  /// Called between parts of the loop.
  std::function<void(const amr::Simulation&)> progress = [](const amr::Simulation&) {};
};

/// Steps a simulation to problem.stop_step. Throws std::runtime_error when a signal or the time
/// limit ends it before, or the field holds values that are not finite,
/// with the plugins that they can be from.
/// \param past  of a run that goes on from a checkpoint
io::RunSummary execute(const Problem& problem, amr::Backend& backend, amr::Simulation& simulation,
                       const Hooks& hooks,
                       const std::optional<io::RunHistory>& past = std::nullopt);

/// Patches of each level, present or not.
std::vector<std::size_t> patches_per_level(const amr::Simulation& simulation);

/// Lets SIGINT and SIGTERM end execute() at its next stop, SIGUSR1 ask it for a checkpoint, and
/// SIGUSR2 wait for a Status. Before there are other threads.
void heed_signals();

/// Whether one of the signals that end execute() has come.
bool end_requested();

}  // namespace kumiko::app
