// Lays out the summaries of runs as a table with a column for each run.
#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/viz/report.hpp>

namespace kumiko::viz::report {

/// An array of {key, label, format, values}: the key is the summary's, with slashes; the values
/// are the summary's own, null where a run has none; the format says how the page writes them.
/// Rows that no run has are left out.
nlohmann::ordered_json headline_json(std::span<const ReportRun> runs);

}  // namespace kumiko::viz::report
