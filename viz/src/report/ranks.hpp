// The numbers of each of a run's ranks, for the report's table.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <kumiko/viz/report.hpp>

namespace kumiko::viz::report {

/// A run's "ranks" as its summary has them, "balance", the largest ÷ the mean of each of their
/// numbers, and "moved_patches"; null for a run of one rank.
nlohmann::ordered_json ranks_json(const ReportRun& run);

}  // namespace kumiko::viz::report
