// How long patches take, by level.
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "chart.hpp"

namespace kumiko::viz::report {

namespace {

/// Where bins begin within a decade: round numbers that are about equally far apart on a log scale.
constexpr std::array<double, 10> kBinEdges = {1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0};
constexpr int kBinsPerDecade = static_cast<int>(kBinEdges.size());

/// The bin of a duration; those below 10 ns share one.
int bin_of(std::int64_t nanoseconds) {
  int decade = 1;
  double lower = 10.0;
  const double value = std::max(static_cast<double>(nanoseconds), lower);
  for (; value >= 10.0 * lower; lower *= 10.0) ++decade;
  const auto above = std::upper_bound(kBinEdges.begin(), kBinEdges.end(), value / lower);
  return decade * kBinsPerDecade + static_cast<int>(above - kBinEdges.begin()) - 1;
}

/// Its lower end, as a text of microseconds without an exponent: the page looks for round ones.
std::string label_of(int bin) {
  const double edge = kBinEdges[static_cast<std::size_t>(bin % kBinsPerDecade)];
  std::string text =
      fmt::format("{:.4f}", edge * std::pow(10.0, bin / kBinsPerDecade) / kMicrosecond);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

ChartPanel histogram_of(const ReportRun& run) {
  const amr::Trace& trace = *run.trace;
  std::vector<std::map<int, int>> counts(static_cast<std::size_t>(trace.levels));
  int first = INT_MAX;
  int last = INT_MIN;
  for (const amr::TracePhase& phase : trace.phases) {
    if (phase.kind != amr::PieceKind::kAdvance) continue;
    for (std::uint32_t at = phase.first_piece; at < phase.end_piece; ++at) {
      const int bin = bin_of(trace.pieces[at].end_ns - trace.pieces[at].begin_ns);
      ++counts[static_cast<std::size_t>(phase.level)][bin];
      first = std::min(first, bin);
      last = std::max(last, bin);
    }
  }
  ChartPanel panel{run.name};
  for (int bin = first; bin <= last; ++bin) panel.categories.push_back(label_of(bin));
  panel.upper = label_of(last + 1);
  for (std::size_t level = 0; level < counts.size(); ++level) {
    ChartSeries& series = panel.series.emplace_back();
    series.name = fmt::format("level {}", level);
    for (int bin = first; bin <= last; ++bin) series.add(bin - first, counts[level][bin]);
  }
  return panel;
}

}  // namespace

std::vector<Chart> trace_charts(std::span<const ReportRun> runs) {
  Chart histogram{.id = "patch_times",
                  .title = "Histogram of the steps’ times by level",
                  .reading =
                      "The number of steps of patches in the trace by their duration, ghosts "
                      "included, with ten bars per decade; each bar has at least two pixels. "
                      "Neighbours wait for the steps in a long tail to the right.",
                  .kind = ChartKind::kStackedBars,
                  .x = {"time of a patch’s step", "µs"},
                  .y = {"steps of patches"}};
  for (const ReportRun& run : runs) {
    if (run.trace && !run.trace->pieces.empty()) {
      histogram.panels.push_back(histogram_of(run));
    } else {
      histogram.missing.push_back(run.about_trace);
    }
  }
  return {std::move(histogram)};
}

}  // namespace kumiko::viz::report
