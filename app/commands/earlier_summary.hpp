// The summary that a complete run left in its folder, when it is restarted there.
#pragma once

#include <nlohmann/json.hpp>

#include <kumiko/io/summary.hpp>

#include "run/run_start.hpp"

namespace kumiko::app {

/// The summary that a complete run has left in the folder in which it is restarted; null without
/// one, or if it has been altered, because it goes into a new manifest. Call it before the folder
/// is taken, which removes the summary.
nlohmann::ordered_json earlier_summary(const Start& start);

/// True if a restart of a complete run has nothing to write: the last state and the other files
/// that it would write again are as the manifest lists them. \param earlier  as earlier_summary()
/// returns it
bool has_its_last_files(const Start& start, const nlohmann::ordered_json& earlier);

/// The summary of a run. If no steps were left to take, it is the earlier one, since times, rates
/// and memory are those of the steps.
nlohmann::ordered_json summary_json(const io::RunSummary& summary,
                                    const nlohmann::ordered_json& earlier);

/// The same for the terminal: the backend, the workers, the wall time and the memory are those of
/// the steps.
io::RunSummary summary_shown(io::RunSummary summary, const nlohmann::ordered_json& earlier);

}  // namespace kumiko::app
