// How long patches take, by level.
#include <algorithm>
#include <climits>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "chart.hpp"

namespace kumiko::viz::report {

namespace {

constexpr double kBinsPerDecade = 8.0;

/// The bin of a duration on a logarithmic axis; those below 10 ns share one.
int bin_of(std::int64_t nanoseconds) {
  const double least = 10.0;
  return static_cast<int>(
      std::floor(kBinsPerDecade * std::log10(std::max(static_cast<double>(nanoseconds), least))));
}

/// Its lower end, as a text of microseconds.
std::string label_of(int bin) {
  constexpr double kNoFraction = 100.0;
  const double microseconds = std::pow(10.0, bin / kBinsPerDecade) / kMicrosecond;
  return microseconds < kNoFraction ? fmt::format("{:.3g}", microseconds)
                                    : fmt::format("{:.0f}", microseconds);
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
  ChartPanel panel;
  panel.run = run.name;
  for (int bin = first; bin <= last; ++bin) panel.categories.push_back(label_of(bin));
  for (std::size_t level = 0; level < counts.size(); ++level) {
    ChartSeries& series = panel.series.emplace_back();
    series.name = fmt::format("level {}", level);
    for (int bin = first; bin <= last; ++bin) {
      series.x.push_back(bin - first);
      series.y.push_back(counts[level][bin]);
    }
  }
  return panel;
}

}  // namespace

std::vector<Chart> trace_charts(std::span<const ReportRun> runs) {
  Chart histogram;
  histogram.id = "patch_times";
  histogram.title = "Histogram of the steps’ times by level";
  histogram.reading =
      "How many steps of patches in the trace’s window took how long, ghosts included, each bar "
      "from its label to the next. A long tail to the right is what neighbours wait for.";
  histogram.kind = ChartKind::kStackedBars;
  histogram.x = {"time of a patch’s step", "µs"};
  histogram.y = {"steps of patches", ""};
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
