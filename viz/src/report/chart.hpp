// A chart of the report as numbers: what the page draws, and what its CSV holds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/viz/report.hpp>

namespace kumiko::viz::report {

inline constexpr double kMicrosecond = 1e3;  ///< nanoseconds

struct ChartSeries {
  std::string name;
  std::vector<double> x = {};  ///< for bars the number of the category, from 0
  std::vector<double> y = {};  ///< as long as x; NaN where there is none
  bool faint = false;          ///< stands behind the others

  void add(double x_value, double y_value) {
    x.push_back(x_value);
    y.push_back(y_value);
  }
};

/// One coordinate system, with the series of one run or, where `run` is empty, a series for each.
struct ChartPanel {
  std::string run;
  std::vector<std::string> categories = {};  ///< of bars
  std::vector<ChartSeries> series = {};
  std::string upper = {};  ///< of a histogram, whose categories are the bins' lower ends: the upper
                           ///< end of the last one
};

struct AxisLabel {
  std::string name;
  std::string unit = {};  ///< may be empty
};

enum class ChartKind {
  kLines,
  kSteps,       ///< lines of values that hold until the next
  kStackedBars  ///< also for one series
};

struct Chart {
  std::string id;  ///< also the name of its CSV file
  std::string title;
  std::string reading;  ///< how to read it, in a sentence or two
  ChartKind kind = ChartKind::kLines;
  AxisLabel x;
  AxisLabel y;
  double y_from = 0.0;              ///< the axis begins there
  std::optional<double> y_to = {};  ///< and ends there, where that is known
  std::vector<ChartPanel> panels = {};
  std::vector<std::string> missing = {};  ///< sentences on what is not there
};

nlohmann::ordered_json to_json(const Chart& chart);

/// A row per point: run, series, x, y. Empty for NaN.
std::string to_csv(const Chart& chart);

/// All charts, in the order of the page.
std::vector<Chart> charts_of(std::span<const ReportRun> runs);

/// Largest ÷ mean of the workers' updates, by base step (balance_step), and of the run so far; with
/// several runs, also of all in one chart (balance_runs).
std::vector<Chart> balance_charts(std::span<const ReportRun> runs);
/// Patches and point updates by level over the run.
std::vector<Chart> patch_charts(std::span<const ReportRun> runs);
/// Busy time and steals of the workers: by worker, and over the run.
std::vector<Chart> worker_charts(std::span<const ReportRun> runs);
/// Work and traffic of the ranks; none if all runs had one rank.
std::vector<Chart> rank_charts(std::span<const ReportRun> runs);
/// Times of patches by level.
std::vector<Chart> trace_charts(std::span<const ReportRun> runs);

/// Work and traffic of the processes of a search.
std::vector<Chart> search_charts(const ReportSearch& search);

}  // namespace kumiko::viz::report
