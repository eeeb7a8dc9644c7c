// How busy the ranks of a run were.
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chart.hpp"

namespace kumiko::viz::report {

std::vector<Chart> rank_charts(std::span<const ReportRun> runs) {
  constexpr double kWhole = 100.0;
  Chart share{.id = "busy_rank",
              .title = "Busy and waiting, by rank",
              .reading =
                  "The share of the stepping time that a rank’s workers spent on patches. A rank "
                  "that is less busy than others had less work; if all ranks wait equally long, "
                  "they wait for messages, regrids or cores.",
              .kind = ChartKind::kStackedBars,
              .x = {"rank"},
              .y = {"share of its workers’ time", "%"},
              .y_to = kWhole};
  for (const ReportRun& run : runs) {
    const nlohmann::ordered_json& summary = *run.folder.summary;
    if (!summary.contains("ranks")) {
      share.missing.push_back(run.name + " ran in one process.");
      continue;
    }
    ChartPanel& panel = share.panels.emplace_back(ChartPanel{run.name});
    ChartSeries busy{"busy"};
    ChartSeries waiting{.name = "waiting", .faint = true};
    for (const nlohmann::ordered_json& rank : summary.at("ranks")) {
      const auto busy_s = rank.at("busy_s").get<double>();
      const double all_s = busy_s + rank.at("wait_s").get<double>();
      const double percent =
          all_s > 0.0 ? kWhole * busy_s / all_s : std::numeric_limits<double>::quiet_NaN();
      const auto number = static_cast<double>(panel.categories.size());
      busy.add(number, percent);
      waiting.add(number, kWhole - percent);
      panel.categories.push_back(fmt::format("{}", panel.categories.size()));
    }
    panel.series = {std::move(busy), std::move(waiting)};
  }
  if (share.panels.empty()) return {};
  return {std::move(share)};
}

}  // namespace kumiko::viz::report
