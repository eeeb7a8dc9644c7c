#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/viz/line_chart.hpp>

#include "chart/label_placement.hpp"
#include "chart/svg.hpp"

namespace kumiko::viz {

namespace {

/// Okabe and Ito's, without the yellow, which white paper swallows.
constexpr std::array<std::string_view, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#000000", "#e69f00", "#56b4e9"};
constexpr std::array<std::string_view, 3> kDashes = {"", "7 3", "2 3"};
constexpr std::string_view kGrey = "#666666";
constexpr std::string_view kGridColour = "#e4e4e4";

constexpr double kTickSize = 10.0;
constexpr double kAxisTitleSize = 11.0;
constexpr double kTitleSize = 13.0;
constexpr double kPageTitleSize = 15.0;
constexpr double kPointLabelSize = 9.0;
constexpr double kReferenceSize = 10.0;
constexpr double kWidestReference = 270.0;

constexpr double kLeft = 66.0;   ///< of a plot: tick labels and the axis's title
constexpr double kRight = 18.0;  ///< without references' labels
constexpr double kTop = 6.0;
constexpr double kBottom = 48.0;  ///< tick labels and the axis's title
constexpr double kPageEdge = 12.0;
constexpr double kLegendRow = 18.0;

struct Look {
  std::string_view colour;
  std::string_view dashes;
  std::size_t marker;
};

Look look_of(std::size_t index) {
  return {kColours[index % kColours.size()], kDashes[(index / kColours.size()) % kDashes.size()],
          index % kMarkers};
}

struct LegendItem {
  std::string name;
  bool markers;
};

std::size_t index_of(std::span<const LegendItem> items, const std::string& name) {
  const auto found = std::ranges::find(items, name, &LegendItem::name);
  return static_cast<std::size_t>(found - items.begin());
}

/// The names of all series, in the order in which they come; each once.
std::vector<LegendItem> legend_of(std::span<const LineChart> charts) {
  std::vector<LegendItem> items;
  for (const LineChart& chart : charts) {
    for (const Series& series : chart.series) {
      const bool is_new = index_of(items, series.name) == items.size();
      if (is_new) items.push_back({series.name, series.markers});
    }
  }
  return items;
}

bool is_finite(const ChartPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

bool has_points(const LineChart& chart) {
  return std::ranges::any_of(chart.series, [](const Series& series) {
    return std::ranges::any_of(series.points, is_finite);
  });
}

/// Calls make() and says which axis an error is about.
template <class Make>
auto naming(const ChartAxis& axis, Make make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("axis '{}': {}", axis.title, error.what()));
  }
}

Axis make_axis(const ChartAxis& axis, const std::vector<double>& values, double begin, double end) {
  return naming(axis, [&] {
    if (axis.range) return Axis(axis.scale, *axis.range, begin, end);
    const Range range = padded_range(axis.scale, values);
    return Axis(axis.scale, axis.counts ? range : widened_to_ticks(axis.scale, range), begin, end);
  });
}

double right_margin(const LineChart& chart) {
  constexpr double kLeader = 14.0;
  double width = 0.0;
  for (const ReferenceLine& reference : chart.references) {
    width = std::max(width, text_width(reference.label, kReferenceSize));
  }
  return width == 0.0 ? kRight : kLeader + std::min(width, kWidestReference) + 6.0;
}

/// Draws one chart around its plot.
class ChartDrawing {
 public:
  ChartDrawing(Svg& svg, const LineChart& chart, const Box& plot,
               std::span<const LegendItem> legend)
      : svg_(svg),
        chart_(chart),
        plot_(plot),
        legend_(legend),
        x_(make_axis(chart.x, values(&ChartPoint::x), plot.left, plot.right)),
        y_(make_axis(chart.y, y_values(), plot.bottom, plot.top)),
        labels_(room_for_labels(plot)) {}

  void draw() {
    draw_axes();
    if (!has_points(chart_)) {
      svg_.text({middle_x(), 0.5 * (plot_.top + plot_.bottom)}, "no data",
                {kTitleSize, "middle", kGrey});
    }
    draw_references();
    svg_.open_clip(plot_);
    for (const Series& series : chart_.series) draw_line(series);
    for (const Series& series : chart_.series) draw_spreads(series);
    svg_.close_clip();
    for (const Series& series : chart_.series) draw_markers(series);
    draw_labels();
  }

 private:
  /// Clear of the ticks.
  static Box room_for_labels(const Box& plot) {
    constexpr double kTicks = 7.0;
    return {plot.left + kTicks, plot.top, plot.right, plot.bottom - kTicks};
  }

  /// Of all points, along one axis.
  std::vector<double> values(double ChartPoint::*coordinate) const {
    std::vector<double> values;
    for (const Series& series : chart_.series) {
      for (const ChartPoint& point : series.points) {
        if (is_finite(point)) values.push_back(point.*coordinate);
      }
    }
    return values;
  }

  std::vector<double> y_values() const {
    std::vector<double> all = values(&ChartPoint::y);
    for (const Series& series : chart_.series) {
      for (const ChartPoint& point : series.points) {
        if (point.spread) all.insert(all.end(), {point.spread->low, point.spread->high});
      }
    }
    for (const ReferenceLine& reference : chart_.references) all.push_back(reference.y);
    return all;
  }

  double middle_x() const { return 0.5 * (plot_.left + plot_.right); }
  Place place(const ChartPoint& point) const { return {x_(point.x), y_(point.y)}; }
  bool is_inside(Place at) const {
    constexpr double kRounding = 0.5;
    return at.x >= plot_.left - kRounding && at.x <= plot_.right + kRounding &&
           at.y >= plot_.top - kRounding && at.y <= plot_.bottom + kRounding;
  }

  Look look(const Series& series) const { return look_of(index_of(legend_, series.name)); }

  void draw_axes() {
    draw_x_ticks();
    draw_y_ticks();
    svg_.rectangle(plot_, "none", "#222222");
    svg_.text({middle_x(), plot_.bottom + 36.0}, chart_.x.title, {kAxisTitleSize, "middle"});
    svg_.text({plot_.left - 50.0, 0.5 * (plot_.top + plot_.bottom)}, chart_.y.title,
              {kAxisTitleSize, "middle", "#222222", false, true});
  }

  static double tick_length(const Tick& tick) { return tick.label.empty() ? 3.0 : 6.0; }

  void draw_x_ticks() {
    constexpr double kWidthOfLabel = 45.0;
    const int most = static_cast<int>((plot_.right - plot_.left) / kWidthOfLabel);
    const std::vector<Tick> list = chart_.x.counts
                                       ? count_ticks(x_, values(&ChartPoint::x), kWidthOfLabel)
                                       : ticks(x_.scale(), x_.range(), most);
    for (const Tick& tick : list) {
      const double x = x_(tick.value);
      if (!tick.label.empty()) svg_.line({x, plot_.top}, {x, plot_.bottom}, {kGridColour});
      svg_.line({x, plot_.bottom}, {x, plot_.bottom - tick_length(tick)}, {});
      if (tick.label.empty()) continue;
      svg_.text({x, plot_.bottom + 15.0}, tick.label, {kTickSize, "middle"});
    }
  }

  void draw_y_ticks() {
    constexpr double kHeightOfLabel = 24.0;
    const int most = static_cast<int>((plot_.bottom - plot_.top) / kHeightOfLabel);
    for (const Tick& tick : ticks(y_.scale(), y_.range(), most)) {
      const double y = y_(tick.value);
      if (!tick.label.empty()) svg_.line({plot_.left, y}, {plot_.right, y}, {kGridColour});
      svg_.line({plot_.left, y}, {plot_.left + tick_length(tick), y}, {});
      if (tick.label.empty()) continue;
      svg_.text({plot_.left - 6.0, y + 3.5}, tick.label, {kTickSize, "end"});
    }
  }

  void draw_references() {
    std::vector<ReferenceLine> references = chart_.references;
    std::erase_if(references, [&](const ReferenceLine& reference) {
      const double y = naming(chart_.y, [&] { return y_(reference.y); });
      return !is_inside({plot_.left, y});
    });
    // From the upper edge downwards.
    std::ranges::sort(references, std::greater(), &ReferenceLine::y);
    std::vector<double> places;
    for (const ReferenceLine& reference : references) places.push_back(y_(reference.y));
    const std::vector<double> spread_places =
        spread(places, kReferenceSize + 3.0, plot_.top + 4.0, plot_.bottom - 2.0);
    for (std::size_t at = 0; at < references.size(); ++at) {
      draw_reference(references[at], places[at], spread_places[at]);
    }
  }

  void draw_reference(const ReferenceLine& reference, double y, double label_y) {
    svg_.open_group(fmt::format("{}: {}", reference.label, number_label(reference.y)));
    svg_.line({plot_.left, y}, {plot_.right, y}, {kGrey, 1.0, "5 4"});
    if (!reference.label.empty()) {
      svg_.line({plot_.right, y}, {plot_.right + 11.0, label_y}, {kGrey, 0.7});
      svg_.text({plot_.right + 14.0, label_y + 3.5},
                clipped(reference.label, kReferenceSize, kWidestReference),
                {kReferenceSize, "start", "#444444"});
    }
    svg_.close_group();
    labels_.add_line({plot_.left, y}, {plot_.right, y});
  }

  void draw_line(const Series& series) {
    const Look style = look(series);
    std::vector<Place> piece;
    const auto end_piece = [&] {
      if (piece.size() > 1) svg_.polyline(piece, {style.colour, 1.6, style.dashes});
      for (std::size_t at = 1; at < piece.size(); ++at) {
        labels_.add_line(piece[at - 1], piece[at]);
      }
      piece.clear();
    };
    for (const ChartPoint& point : series.points) {
      if (is_finite(point)) {
        piece.push_back(naming_place(point));
      } else {
        end_piece();
      }
    }
    end_piece();
  }

  /// The place, checked: a fixed range lets values through that a log axis cannot show.
  Place naming_place(const ChartPoint& point) const {
    return {naming(chart_.x, [&] { return x_(point.x); }),
            naming(chart_.y, [&] { return y_(point.y); })};
  }

  void draw_spreads(const Series& series) {
    constexpr double kHalfWidth = 3.5;
    const Stroke stroke{look(series).colour, 1.0};
    for (const ChartPoint& point : series.points) {
      if (!point.spread || !is_finite(point)) continue;
      const double x = x_(point.x);
      const std::array ends = {y_(point.spread->low), y_(point.spread->high)};
      svg_.line({x, ends[0]}, {x, ends[1]}, stroke);
      for (const double y : ends) svg_.line({x - kHalfWidth, y}, {x + kHalfWidth, y}, stroke);
      labels_.add_line({x, ends[0]}, {x, ends[1]});
    }
  }

  void draw_markers(const Series& series) {
    if (!series.markers) return;
    const Look style = look(series);
    for (const ChartPoint& point : series.points) {
      if (!is_finite(point) || !is_inside(place(point))) continue;
      svg_.open_group(fmt::format("{}{}{}: {}, {}", series.name, point.label.empty() ? "" : ", ",
                                  point.label, number_label(point.x), number_label(point.y)));
      svg_.marker(style.marker, place(point), style.colour);
      svg_.close_group();
      labels_.add_point(place(point));
    }
  }

  void draw_labels() {
    std::vector<PointLabel> labels;
    std::vector<std::string_view> colours;
    for (const Series& series : chart_.series) {
      for (const ChartPoint& point : series.points) {
        if (point.label.empty() || !is_finite(point) || !is_inside(place(point))) continue;
        labels.push_back({place(point), point.label, kPointLabelSize});
        colours.push_back(look(series).colour);
      }
    }
    const std::vector<Place> places = labels_.place(labels);
    for (std::size_t at = 0; at < labels.size(); ++at) {
      svg_.text(places[at], labels[at].text,
                {kPointLabelSize, "middle", colours[at], false, false, true});
    }
  }

  Svg& svg_;
  const LineChart& chart_;
  Box plot_;
  std::span<const LegendItem> legend_;
  Axis x_;
  Axis y_;
  LabelPlacement labels_;
};

/// The legend's items in rows of equal columns.
class Legend {
 public:
  Legend(std::span<const LegendItem> items, double width) : items_(items) {
    double widest = 0.0;
    for (const LegendItem& item : items) {
      widest = std::max(widest, text_width(item.name, kTickSize));
    }
    column_ = std::min(width, kSample + widest + 20.0);
    columns_ = std::max<std::size_t>(1, static_cast<std::size_t>(width / column_));
  }

  double height() const {
    const std::size_t rows = (items_.size() + columns_ - 1) / columns_;
    return kLegendRow * static_cast<double>(rows);
  }

  void draw(Svg& svg, Place corner) const {
    for (std::size_t at = 0; at < items_.size(); ++at) {
      const std::size_t row = at / columns_;
      const double x = corner.x + column_ * static_cast<double>(at % columns_);
      const double y = corner.y + kLegendRow * (0.5 + static_cast<double>(row));
      const Look look = look_of(at);
      svg.line({x, y}, {x + kSample - 8.0, y}, {look.colour, 1.6, look.dashes});
      if (items_[at].markers) {
        svg.marker(look.marker, {x + 0.5 * (kSample - 8.0), y}, look.colour);
      }
      svg.text({x + kSample, y + 3.5}, clipped(items_[at].name, kTickSize, column_ - kSample),
               {kTickSize});
    }
  }

 private:
  static constexpr double kSample = 38.0;  ///< the piece of line before a name, and a gap

  std::span<const LegendItem> items_;
  double column_;
  std::size_t columns_;
};

}  // namespace

std::string draw_charts(std::span<const LineChart> charts, const ChartPage& page) {
  const std::vector<LegendItem> items = legend_of(charts);
  double width = 2.0 * kPageEdge;
  for (const LineChart& chart : charts) width += kLeft + page.plot_width + right_margin(chart);
  const Legend legend(items, std::max(1.0, width - 2.0 * kPageEdge - kLeft));
  const double caption = kPageEdge + (page.title.empty() ? 0.0 : kPageTitleSize + 8.0);
  const double top = caption + (page.caption.empty() ? 0.0 : kAxisTitleSize + 8.0) + kTop;
  const double legend_top = top + page.plot_height + kBottom;
  Svg svg(width, legend_top + legend.height() + kPageEdge, page.title);
  svg.text({kPageEdge + kLeft, kPageEdge + kPageTitleSize}, page.title,
           {kPageTitleSize, "start", "#222222", true});
  svg.text({kPageEdge + kLeft, caption + kAxisTitleSize}, page.caption,
           {kAxisTitleSize, "start", "#444444"});
  double left = kPageEdge;
  for (const LineChart& chart : charts) {
    const Box plot{left + kLeft, top, left + kLeft + page.plot_width, top + page.plot_height};
    ChartDrawing(svg, chart, plot, items).draw();
    left = plot.right + right_margin(chart);
  }
  legend.draw(svg, {kPageEdge + kLeft, legend_top});
  return svg.finish();
}

}  // namespace kumiko::viz
