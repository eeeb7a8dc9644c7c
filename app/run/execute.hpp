// Takes one run from its initial state to its last step, and returns its summary.
#pragma once

#include <optional>
#include <vector>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/io/summary.hpp>

#include "run/problem.hpp"
#include "run/progress.hpp"

namespace kumiko::app {

class Ranks;
class RunFiles;

/// Steps a simulation to problem.stop_step. Throws std::runtime_error when a signal or the time
/// limit ends it before, or the field holds values that are not finite,
/// with the plugins that they can be from.
/// \param files  get what the problem asks for: rows, states, checkpoints as problem.checkpoints
///               says, on SIGUSR1 and before the run ends early, and the trace of base steps
///               problem.trace_from to problem.trace_until, or as many of them as there was room
///               for; nullptr: there are none
/// \param past   of a run that goes on from a checkpoint
/// \param ranks  that share it; nullptr for one process
io::RunSummary execute(const Problem& problem, amr::Backend& backend, amr::Simulation& simulation,
                       Progress& progress, RunFiles* files = nullptr,
                       const std::optional<io::RunHistory>& past = std::nullopt,
                       const Ranks* ranks = nullptr);

/// Where, when and by what a run is computed that begins now, on this machine.
io::Origin origin_now();

/// Patches of each level, present or not.
std::vector<std::size_t> patches_per_level(const amr::Simulation& simulation);

/// What the workers of each rank, or owner of the mesh, did together.
std::vector<amr::WorkerLoad> loads_by_rank(const amr::Simulation& simulation);

/// Lets SIGINT, SIGTERM and SIGHUP end execute() at its next stop, and the program at once before
/// begin_stepping(); SIGUSR1 ask it for a checkpoint, and SIGUSR2 wait for a Progress. The first
/// one that ends it is answered on stderr, by rank 0. Before there are other threads.
/// \param with_checkpoints  whether the end leaves one, for the answer
void heed_signals(bool with_checkpoints);
/// From now on the signals that end a run are noted, for whoever takes steps or directs those who
/// do. execute() calls it.
void begin_stepping();

/// Whether one of the signals that end execute() has come.
bool end_requested();

/// What signals have asked for.
struct AskedBySignals {
  int end = 0;  ///< by this signal; 0 = not
  int checkpoint = 0;

  bool any() const { return end != 0 || checkpoint != 0; }
};
/// What has been asked for since the last call.
AskedBySignals take_signals();
/// As if the signals had come to this process. From any thread.
void hand_on_signals(AskedBySignals asked);

}  // namespace kumiko::app
