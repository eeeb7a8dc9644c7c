// Sums up a run.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/state_writer.hpp>
#include <kumiko/io/summary.hpp>

#include "run/run_start.hpp"

namespace kumiko::app {

class Ranks;

/// The history of a run that begins with a field.
io::RunHistory history_of(const amr::FieldFigures& field);

/// The history of a run before its restart; none for a new run.
std::optional<io::RunHistory> past_of(const Start& start);

/// The summary of a run as it stands, without its origin, its rate and its ranks. Warns of values
/// and errors that make no sense. Throws std::runtime_error if values are not finite.
io::RunSummary summary_of(const Setup& setup, const amr::Backend& backend,
                          const amr::Simulation& simulation, const io::RunHistory& history);

/// Adds the numbers of each of several ranks.
/// \param before  loads_by_rank() when this part of the run began
void add_ranks(const amr::Simulation& simulation, Ranks& ranks,
               const std::vector<amr::WorkerLoad>& before, io::RunSummary& summary);

/// Patches of each level, present or not.
std::vector<std::size_t> patches_per_level(const amr::Simulation& simulation);

/// The load of all workers of each rank.
std::vector<amr::WorkerLoad> loads_by_rank(const amr::Simulation& simulation);

}  // namespace kumiko::app
