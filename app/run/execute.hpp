// Takes one run from its initial state to its last step, and returns its summary.
#pragma once

#include <optional>

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

}  // namespace kumiko::app
