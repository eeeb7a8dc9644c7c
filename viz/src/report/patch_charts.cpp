// Patches and point updates by level over the run.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chart.hpp"

namespace kumiko::viz::report {

namespace {

bool has_subcycling(const io::RunFolder& run) {
  const auto& config = run.summary.at("config");
  const nlohmann::ordered_json::json_pointer key("/step/subcycling");
  return !config.contains(key) || config.at(key) == true;
}

/// `value` of each row of diagnostics, for each level.
template <class Value>
ChartPanel panel_of(const ReportRun& run, Value value) {
  ChartPanel panel;
  panel.run = run.name;
  const std::size_t levels = run.folder.diagnostics.front().patches.size();
  for (std::size_t level = 0; level < levels; ++level) {
    ChartSeries& series = panel.series.emplace_back();
    series.name = fmt::format("level {}", level);
    for (const io::DiagnosticsEntry& entry : run.folder.diagnostics) {
      series.x.push_back(static_cast<double>(entry.step));
      series.y.push_back(value(level, static_cast<double>(entry.patches[level])));
    }
  }
  return panel;
}

}  // namespace

std::vector<Chart> patch_charts(std::span<const ReportRun> runs) {
  Chart patches;
  patches.id = "patches_level";
  patches.title = "Patches by level";
  patches.reading =
      "How many patches of 16 × 16 points each level has after a base step: where the curves rise, "
      "the mesh follows finer structures.";
  patches.kind = ChartKind::kSteps;
  patches.x = {"base step", ""};
  patches.y = {"patches", ""};
  Chart updates = patches;
  updates.id = "updates_level";
  updates.title = "Point updates by level";
  updates.reading =
      "The points that a base step from there advances: 256 a patch, as often as the level "
      "steps. The finest level's curve is most of the run’s cost.";
  updates.y = {"point updates in a base step", ""};
  for (const ReportRun& run : runs) {
    const bool subcycling = has_subcycling(run.folder);
    patches.panels.push_back(panel_of(run, [](std::size_t, double count) { return count; }));
    updates.panels.push_back(panel_of(run, [&](std::size_t level, double count) {
      return count * amr::kPatchPoints *
             (subcycling ? std::ldexp(1.0, static_cast<int>(level)) : 1.0);
    }));
    if (patches.panels.back().series.size() == 1) {
      patches.missing.push_back(run.name +
                                " has one level; amr.levels=2 or more refines the mesh.");
    }
  }
  return {std::move(patches), std::move(updates)};
}

}  // namespace kumiko::viz::report
