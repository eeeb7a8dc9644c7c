// Patches and point updates by level over the run.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chart.hpp"

namespace kumiko::viz::report {

namespace {

bool has_subcycling(const io::RunFolder& run) {
  const auto& config = run.summary->at("config");
  const nlohmann::ordered_json::json_pointer key("/step/subcycling");
  return !config.contains(key) || config.at(key) == true;
}

/// A series for each level of what `value` makes of its patches, over the base steps taken, less
/// `behind`.
template <class Value>
ChartPanel levels_of(const ReportRun& run, std::int64_t behind, Value value) {
  ChartPanel panel{run.name};
  for (std::size_t level = 0; level < run.folder.diagnostics.front().patches.size(); ++level) {
    ChartSeries& series = panel.series.emplace_back();
    series.name = fmt::format("level {}", level);
    for (const io::DiagnosticsRow& record : run.folder.diagnostics) {
      if (record.step < behind) continue;
      series.add(static_cast<double>(record.step - behind),
                 value(static_cast<int>(level), static_cast<double>(record.patches[level])));
    }
  }
  return panel;
}

ChartPanel patches_of(const ReportRun& run) {
  return levels_of(run, 0, [](int, double patches) { return patches; });
}

/// A row has the mesh after base step `step - 1`, which is that of the step: regrids come before
/// the first of its substeps.
ChartPanel updates_of(const ReportRun& run) {
  const bool subcycling = has_subcycling(run.folder);
  return levels_of(run, 1, [=](int level, double patches) {
    return patches * amr::kPatchPoints * (subcycling ? std::ldexp(1.0, level) : 1.0);
  });
}

}  // namespace

std::vector<Chart> patch_charts(std::span<const ReportRun> runs) {
  Chart patches{.id = "patches_level",
                .title = "Patches by level",
                .reading =
                    "The number of patches of 16 × 16 points on each level, over the base steps: "
                    "where a curve rises, the mesh follows finer structures.",
                .kind = ChartKind::kSteps,
                .x = {"base steps taken"},
                .y = {"patches"}};
  Chart updates{.id = "updates_level",
                .title = "Point updates by level",
                .reading =
                    "The number of points that a base step advanced: 256 for each patch and each "
                    "step of its level. The curves connect the base steps of the rows of "
                    "diagnostics.csv. The finest level has most of the run’s cost.",
                .x = {"base step"},
                .y = {"point updates in a base step"}};
  for (const ReportRun& run : runs) {
    patches.panels.push_back(patches_of(run));
    updates.panels.push_back(updates_of(run));
    if (patches.panels.back().series.size() == 1) {
      patches.missing.push_back(run.name +
                                " has one level; amr.levels=2 or more refines the mesh.");
    }
  }
  return {std::move(patches), std::move(updates)};
}

}  // namespace kumiko::viz::report
