// Takes one run from its initial state to its last step, and returns its summary.
#pragma once

#include <optional>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/io/summary.hpp>

#include "run/progress.hpp"
#include "run/setup.hpp"

namespace kumiko::app {

class Ranks;
class RunFiles;

/// Steps a simulation to setup.stop_step. Throws std::runtime_error if a signal or the time limit
/// ends it before, and, with the plugins that they can be from, for values that are not finite.
/// \param files  get the rows, states and checkpoints that the setup requests, checkpoints also
/// on
///               SIGUSR1 and before the run ends early, and the trace of base steps
///               setup.trace_from to setup.trace_until, or of as many of them as there was
///               memory for; nullptr: there are none
/// \param past   of a run that continues from a checkpoint
/// \param ranks  that share it; nullptr for one rank
io::RunSummary execute(const Setup& setup, amr::Backend& backend, amr::Simulation& simulation,
                       Progress& progress, RunFiles* files = nullptr,
                       const std::optional<io::RunHistory>& past = std::nullopt,
                       Ranks* ranks = nullptr);

}  // namespace kumiko::app
