// Takes one run from its initial state to its last step, and returns its summary.
#pragma once

#include <optional>
#include <vector>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/io/summary.hpp>

#include "problem.hpp"
#include "progress.hpp"

namespace kumiko::app {

/// What happens during the stepping loop, beyond stepping: by default nothing.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Base steps from one call of diagnose() and of output() to the next; 0 = never. Both are called
  /// at the last step in any case, diagnose() at step 0 too.
  virtual int every() const { return 0; }
  virtual int output_every() const { return 0; }
  virtual void diagnose(const amr::Simulation&) {}
  virtual void output(const amr::Simulation&, const io::RunHistory&) {}

  /// Whether it keeps checkpoints and traces; else there are none.
  virtual bool keeps_files() const { return false; }
  /// Begins to write a checkpoint: as problem.checkpoints says, on SIGUSR1, and before the run ends
  /// early.
  virtual void checkpoint(const amr::Simulation&, const io::RunHistory&) {}
  /// Waits until what was begun is in its files.
  virtual void settle() {}
  /// How long a checkpoint takes, at most, as far as is known.
  virtual double checkpoint_s() const { return 0.0; }
  /// Called with the trace of base steps problem.trace_from to problem.trace_until, or as many of
  /// them as there was room for.
  virtual void end_trace(amr::Trace&&) {}

  /// Called between parts of the loop.
  virtual void go_on(const amr::Simulation&) {}
};

/// Steps a simulation to problem.stop_step. Throws std::runtime_error when a signal or the time
/// limit ends it before, or the field holds values that are not finite,
/// with the plugins that they can be from.
/// \param past  of a run that goes on from a checkpoint
io::RunSummary execute(const Problem& problem, amr::Backend& backend, amr::Simulation& simulation,
                       Progress& progress, Observer& observer,
                       const std::optional<io::RunHistory>& past = std::nullopt);

/// Patches of each level, present or not.
std::vector<std::size_t> patches_per_level(const amr::Simulation& simulation);

/// Lets SIGINT and SIGTERM end execute() at its next stop, SIGUSR1 ask it for a checkpoint, and
/// SIGUSR2 wait for a Status. Before there are other threads.
void heed_signals();

/// Whether one of the signals that end execute() has come.
bool end_requested();

}  // namespace kumiko::app
