// Charts of lines as SVG, drawn without any library: for reports, in print and on screens.
//
//   LineChart chart;
//   chart.x = {"seconds", Scale::kLog};
//   chart.y = {"RMS error", Scale::kLog};
//   chart.series.push_back({"cubic", {{0.1, 2e-3, "64"}, {0.8, 3e-4, "128"}}});
//   chart.references.push_back({1e-3, "published"});
//   std::string svg = draw_charts({{chart}}, {"Work and precision"});
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/viz/axis.hpp>

namespace kumiko::viz {

struct ChartAxis {
  std::string title;
  Scale scale = Scale::kLinear;
  std::optional<Range> range = {};  ///< by default the range of the data
  bool counts = false;              ///< the values are whole numbers from 1 on; for the x axis
};

/// A point of a line. A point whose value is not finite interrupts the line.
struct ChartPoint {
  double x;
  double y;
  std::string label = {};  ///< next to the marker
  /// The range of the measurements that y represents, finite, low <= high: drawn as an error bar.
  std::optional<Range> spread = {};
};

struct Series {
  std::string name;  ///< in the legend; series of one name look alike in every chart of a page
  std::vector<ChartPoint> points;  ///< in the order in which the line joins them
  bool markers = true;
};

/// A dashed horizontal line across the chart.
struct ReferenceLine {
  double y;
  std::string label = {};  ///< right of the chart
};

struct LineChart {
  ChartAxis x;
  ChartAxis y;
  std::vector<Series> series;
  std::vector<ReferenceLine> references;
};

/// How charts lie on their page. Lengths are in pixels of 1/96 inch.
struct ChartPage {
  std::string title;
  std::string caption = {};   ///< a line below the title
  double plot_width = 400.0;  ///< of each chart, without axes and labels
  double plot_height = 300.0;
};

/// An SVG document with the charts side by side and one legend for all. Colours are those of Okabe
/// and Ito (2008), which colour-blind readers can distinguish; markers and dashes distinguish lines
/// in grey print. Text may have any UTF-8. A chart without points has a note instead. Throws
/// std::invalid_argument, naming axis and value, if a log axis cannot show a value.
std::string draw_charts(std::span<const LineChart> charts, const ChartPage& page);

}  // namespace kumiko::viz
