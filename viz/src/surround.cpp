#include "surround.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include <kumiko/viz/axis.hpp>

namespace kumiko::viz {

namespace {

constexpr Colour kBlack = {0, 0, 0};
constexpr int kTextSize = 20;
constexpr int kTitleSize = 26;
constexpr int kTick = 8;        ///< its length
constexpr int kLegendRow = 36;  ///< from line to line
constexpr int kHeading = 30;    ///< of a bar or a legend: its middle, below the column's end
constexpr int kSign = 26;       ///< side of a legend's square
constexpr int kBarWidth = 33;

TextLook text(const Layout& layout, Align align = Align::kLeft, int size = kTextSize) {
  return {std::max(7, layout.unit(size)), align};
}

/// The unit in which a time is a number of one to three digits.
struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit unit_of(double seconds) {
  constexpr std::array<TimeUnit, 3> kUnits = {{{"s", 1.0}, {"ms", 1e-3}, {"µs", 1e-6}}};
  for (const TimeUnit& unit : kUnits) {
    if (seconds >= unit.seconds) return unit;
  }
  return {"ns", 1e-9};
}

void paint_frame(Canvas& canvas, const PixelBox& box) {
  canvas.fill(box.x0, box.y0, box.x1, box.y0, kBlack);
  canvas.fill(box.x0, box.y1, box.x1, box.y1, kBlack);
  canvas.fill(box.x0, box.y0, box.x0, box.y1, kBlack);
  canvas.fill(box.x1, box.y0, box.x1, box.y1, kBlack);
}

PixelBox around(const PixelBox& box) { return {box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1}; }

/// How many labels fit with room between them.
int most_labels(int length, int each) { return std::max(2, length / std::max(1, each)); }

/// @param unit  what 1 on the bar stands for
void paint_bar(Canvas& canvas, const Layout& layout, int bottom, const ColourMap& colours,
               Range range, double unit, const std::string& name) {
  const PixelBox& column = layout.column();
  const PixelBox bar = {column.x0, bottom, column.x0 + layout.unit(kBarWidth) - 1,
                        column.y1 - layout.unit(kHeading) - layout.unit(kHeading) / 2};
  const double low = bar.y0;
  const double high = bar.y1;
  for (int y = bar.y0; y <= bar.y1; ++y) {
    const double value = range.low + (y - low) / (high - low) * (range.high - range.low);
    canvas.fill(bar.x0, y, bar.x1, y, colours(value));
  }
  paint_frame(canvas, around(bar));
  const Axis axis(Scale::kLinear, {range.low / unit, range.high / unit}, low, high);
  for (const Tick& tick :
       ticks(Scale::kLinear, axis.range(), most_labels(bar.y1 - bar.y0, layout.unit(60)))) {
    const int y = static_cast<int>(std::lround(axis(tick.value)));
    canvas.fill(bar.x1 + 1, y, bar.x1 + layout.unit(kTick), y, kBlack);
    canvas.text(bar.x1 + layout.unit(kTick + 6), y, text(layout), tick.label);
  }
  canvas.text(column.x0, column.y1 - layout.unit(kHeading) / 2, text(layout), name);
}

}  // namespace

void paint_title(Canvas& canvas, const Layout& layout, const std::string& title) {
  if (title.empty()) return;
  TextLook look = text(layout, Align::kCentre, kTitleSize);
  const int middle = (layout.plot().x0 + layout.plot().x1) / 2;
  const int y = (layout.column().y1 + layout.height()) / 2;
  const int room = layout.width() - layout.unit(40);
  const int wide = Canvas::text_width(look, title);
  if (wide > room) look.size = std::max(6, look.size * room / wide);
  // Above the middle of the domain, unless it would leave the picture there.
  const int half = std::min(wide, room) / 2;
  const int edge = layout.unit(20) + half;
  canvas.text(std::clamp(middle, edge, std::max(edge, layout.width() - edge)), y, look, title);
}

void paint_axes(Canvas& canvas, const Layout& layout, const amr::Extent& extent) {
  const PixelBox& plot = layout.plot();
  paint_frame(canvas, around(plot));
  const int tick_length = layout.unit(kTick);
  const int most_x = most_labels(plot.x1 - plot.x0, layout.unit(110));
  for (const Tick& tick : ticks(Scale::kLinear, {0.0, extent.x}, most_x)) {
    const int x = layout.x(tick.value);
    canvas.fill(x, plot.y0 - tick_length, x, plot.y0 - 1, kBlack);
    canvas.text(x, plot.y0 - layout.unit(24), text(layout, Align::kCentre), tick.label);
  }
  const int most_y = most_labels(plot.y1 - plot.y0, layout.unit(80));
  for (const Tick& tick : ticks(Scale::kLinear, {0.0, extent.y}, most_y)) {
    const int y = layout.y(tick.value);
    canvas.fill(plot.x0 - tick_length, y, plot.x0 - 1, y, kBlack);
    canvas.text(plot.x0 - layout.unit(14), y, text(layout, Align::kRight), tick.label);
  }
  canvas.text((plot.x0 + plot.x1) / 2, plot.y0 - layout.unit(54), text(layout, Align::kCentre),
              "x");
  canvas.text(plot.x0 - layout.unit(68), (plot.y0 + plot.y1) / 2, text(layout, Align::kCentre),
              "y");
}

void paint_colour_bar(Canvas& canvas, const Layout& layout, int bottom, const ColourMap& colours,
                      Range range, const std::string& name) {
  paint_bar(canvas, layout, bottom, colours, range, 1.0, name);
}

void paint_seconds_bar(Canvas& canvas, const Layout& layout, int bottom, const ColourMap& colours,
                       Range range, const std::string& name) {
  const TimeUnit unit = unit_of(range.high);
  paint_bar(canvas, layout, bottom, colours, range, unit.seconds,
            fmt::format("{} ({})", name, unit.name));
}

void paint_worker_legend(Canvas& canvas, const Layout& layout, int bottom, int workers) {
  const PixelBox& column = layout.column();
  const int row = layout.unit(kLegendRow);
  const int sign = layout.unit(kSign);
  const int top = column.y1 - layout.unit(kHeading);
  const int rows = std::max(1, (top - bottom) / row);
  const int columns = std::min((workers + rows - 1) / rows, 3);
  const int width = (column.x1 - column.x0) / std::max(1, columns);
  canvas.text(column.x0, column.y1 - layout.unit(kHeading) / 2, text(layout), "worker");
  for (int worker = 0; worker < workers; ++worker) {
    if (worker >= rows * columns) break;
    const int x = column.x0 + worker / rows * width;
    const int y = top - (worker % rows + 1) * row + (row - sign) / 2;
    const PixelBox box = {x, y, x + sign - 1, y + sign - 1};
    canvas.fill(box.x0, box.y0, box.x1, box.y1, worker_colour(worker));
    paint_frame(canvas, box);
    const bool is_last = worker + 1 == rows * columns && worker + 1 < workers;
    canvas.text(box.x1 + layout.unit(8), (box.y0 + box.y1) / 2, text(layout),
                fmt::format("{}{}", worker, is_last ? " …" : ""));
  }
}

int level_legend_height(int levels) { return kLegendRow * (levels + 1) + kLegendRow / 2; }

void paint_level_legend(Canvas& canvas, const Layout& layout, const Outlines& outlines,
                        const StateValues& values, Colour inside) {
  const PixelBox& column = layout.column();
  const int row = layout.unit(kLegendRow);
  const int sign = layout.unit(kSign);
  const int levels = values.levels();
  canvas.text(column.x0, column.y0 + levels * row + row / 2, text(layout), "patches");
  for (int level = 0; level < levels; ++level) {
    const int y = column.y0 + (levels - 1 - level) * row + (row - sign) / 2;
    const PixelBox box = {column.x0, y, column.x0 + sign - 1, y + sign - 1};
    if (outlines.visible(level)) outlines.paint_sample(canvas, box, level, inside);
    canvas.text(box.x1 + layout.unit(12), (box.y0 + box.y1) / 2, text(layout),
                fmt::format("level {}: {}", level, values.level(level).patches.size()));
  }
}

}  // namespace kumiko::viz
