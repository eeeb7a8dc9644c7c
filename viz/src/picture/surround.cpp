#include "picture/surround.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "picture/axis.hpp"

namespace kumiko::viz {

namespace {

constexpr int kTextSize = 20;
constexpr int kTitleSize = 26;
constexpr int kTick = 8;        ///< its length
constexpr int kLegendRow = 36;  ///< from line to line
constexpr int kHeading = 34;    ///< of a bar or a legend: its middle, below the column's end
constexpr int kSign = 26;       ///< side of a legend's square
constexpr int kBarWidth = 33;
constexpr int kPoint = 18;  ///< height of a bar's pointed end

TextLook text(const Layout& layout, Align align = Align::kLeft, int size = kTextSize) {
  return {std::max(7, layout.unit(size)), align};
}

/// Smaller where the words need more room than there is.
TextLook fitted(TextLook look, int room, const std::string& words) {
  const int wide = Canvas::text_width(look, words);
  if (wide > room) look.size = std::max(6, look.size * room / wide);
  return look;
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

/// Where the labels of an axis go: at their ticks, or apart from each other where ticks are too
/// close, as along the short side of a long domain.
/// \param places  of the ticks, between the axis's ends
std::vector<double> label_places(std::vector<double> places, int gap, int begin, int end) {
  return spread(std::move(places), gap, begin - gap, end + gap);
}

int widest_label(const TextLook& look, const std::vector<Tick>& ticks) {
  int widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, Canvas::text_width(look, tick.label));
  return widest;
}

/// A bar's end as a point: rows of pixels, ever shorter.
void paint_point(Sheet sheet, const PixelBox& bar, int height, bool upward, Colour colour) {
  const int width = bar.x1 - bar.x0 + 1;
  for (int row = 0; row <= height; ++row) {
    const int y = upward ? bar.y1 + row : bar.y0 - row;
    const int inset = width * row / (2 * std::max(1, height));
    sheet.colours.fill(bar.x0 + inset, y, bar.x1 - inset, y, colour);
    sheet.lettering.fill(bar.x0 + inset - 1, y, bar.x0 + inset, y, kBlack);
    sheet.lettering.fill(bar.x1 - inset, y, bar.x1 - inset + 1, y, kBlack);
  }
}

}  // namespace

void paint_title(Canvas& canvas, const Layout& layout, const std::string& title) {
  if (title.empty()) return;
  const int room = layout.width() - layout.unit(40);
  const TextLook look = fitted(text(layout, Align::kCentre, kTitleSize), room, title);
  const int middle = (layout.plot().x0 + layout.plot().x1) / 2;
  const int y = (layout.column().y1 + layout.height()) / 2;
  // Above the middle of the domain, unless it would leave the picture there.
  const int edge = layout.unit(20) + Canvas::text_width(look, title) / 2;
  canvas.text(std::clamp(middle, edge, std::max(edge, layout.width() - edge)), y, look, title);
}

void paint_axes(Canvas& canvas, const Layout& layout, const amr::Extent& extent) {
  const PixelBox& plot = layout.plot();
  paint_frame(canvas, around(plot));
  const int tick_length = layout.unit(kTick);
  const int most_x = most_labels(plot.x1 - plot.x0, layout.unit(110));
  const std::vector<Tick> along_x = ticks({0.0, extent.x}, most_x);
  const TextLook centred = text(layout, Align::kCentre);
  std::vector<double> places;
  for (const Tick& tick : along_x) places.push_back(layout.x(tick.value));
  places = label_places(places, widest_label(centred, along_x) + layout.unit(10), plot.x0, plot.x1);
  for (std::size_t at = 0; at < along_x.size(); ++at) {
    const int x = layout.x(along_x[at].value);
    canvas.fill(x, plot.y0 - tick_length, x, plot.y0 - 1, kBlack);
    const int place = static_cast<int>(std::lround(places[at]));
    canvas.text(place, plot.y0 - layout.unit(24), centred, along_x[at].label);
  }
  const int most_y = most_labels(plot.y1 - plot.y0, layout.unit(110));
  const std::vector<Tick> along_y = ticks({0.0, extent.y}, most_y);
  places.clear();
  for (const Tick& tick : along_y) places.push_back(layout.y(tick.value));
  places = label_places(places, layout.unit(kTextSize + 4), plot.y0, plot.y1);
  for (std::size_t at = 0; at < along_y.size(); ++at) {
    const int y = layout.y(along_y[at].value);
    canvas.fill(plot.x0 - tick_length, y, plot.x0 - 1, y, kBlack);
    const int place = static_cast<int>(std::lround(places[at]));
    canvas.text(plot.x0 - layout.unit(14), place, text(layout, Align::kRight), along_y[at].label);
  }
  canvas.text((plot.x0 + plot.x1) / 2, plot.y0 - layout.unit(54), text(layout, Align::kCentre),
              "x");
  canvas.text(plot.x0 - layout.unit(68), (plot.y0 + plot.y1) / 2, text(layout, Align::kCentre),
              "y");
}

BarLabel seconds_label(const std::string& name, double largest) {
  const std::array<BarLabel, 4> units = {{{"s", 1.0}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}}};
  const auto is_short = [&](const BarLabel& unit) { return largest >= unit.unit; };
  const auto found = std::ranges::find_if(units, is_short);
  const BarLabel& unit = found == units.end() ? units.back() : *found;
  return {fmt::format("{} ({})", name, unit.name), unit.unit};
}

void paint_colour_bar(Sheet sheet, const Layout& layout, int bottom, const ColourMap& colours,
                      Range range, Range extremes, const BarLabel& label) {
  const PixelBox& column = layout.column();
  const int point = layout.unit(kPoint);
  const PixelBox bar = {column.x0, bottom + point, column.x0 + layout.unit(kBarWidth) - 1,
                        column.y1 - layout.unit(kHeading) - point};
  const Axis axis({range.low / label.unit, range.high / label.unit}, bar.y0, bar.y1);
  for (int y = bar.y0; y <= bar.y1; ++y) {
    const double share = static_cast<double>(y - bar.y0) / (bar.y1 - bar.y0);
    sheet.colours.fill(bar.x0, y, bar.x1, y, colours(range.low + share * (range.high - range.low)));
  }
  paint_frame(sheet.lettering, around(bar));
  if (extremes.high > range.high) paint_point(sheet, bar, point, true, colours(range.high));
  if (extremes.low < range.low) paint_point(sheet, bar, point, false, colours(range.low));
  const int most = most_labels(bar.y1 - bar.y0, layout.unit(60));
  for (const Tick& tick : ticks(axis.range(), most)) {
    const int y = static_cast<int>(std::lround(axis(tick.value)));
    sheet.lettering.fill(bar.x1 + 1, y, bar.x1 + layout.unit(kTick), y, kBlack);
    sheet.lettering.text(bar.x1 + layout.unit(kTick + 6), y, text(layout), tick.label);
  }
  sheet.lettering.text(column.x0, column.y1 - layout.unit(kHeading) / 2,
                       fitted(text(layout), column.x1 - column.x0, label.name), label.name);
}

void paint_worker_legend(Sheet sheet, const Layout& layout, int bottom, int workers) {
  const PixelBox& column = layout.column();
  const int row = layout.unit(kLegendRow);
  const int sign = layout.unit(kSign);
  const int top = column.y1 - layout.unit(kHeading);
  const int rows = std::max(1, (top - bottom) / row);
  const int columns = std::min((workers + rows - 1) / rows, 3);
  const int width = (column.x1 - column.x0) / std::max(1, columns);
  sheet.lettering.text(column.x0, column.y1 - layout.unit(kHeading) / 2, text(layout), "worker");
  for (int worker = 0; worker < workers; ++worker) {
    if (worker >= rows * columns) break;
    const int x = column.x0 + worker / rows * width;
    const int y = top - (worker % rows + 1) * row + (row - sign) / 2;
    const PixelBox box = {x, y, x + sign - 1, y + sign - 1};
    sheet.colours.fill(box.x0, box.y0, box.x1, box.y1, worker_colour(worker));
    paint_frame(sheet.lettering, box);
    const bool is_last = worker + 1 == rows * columns && worker + 1 < workers;
    sheet.lettering.text(box.x1 + layout.unit(8), (box.y0 + box.y1) / 2, text(layout),
                         fmt::format("{}{}", worker, is_last ? " …" : ""));
  }
}

/// Of several levels there is a row on what nesting left out, also where that is nothing, so that
/// all pictures of a film are laid out alike.
int rows_below_levels(int levels) { return levels > 1 ? 1 : 0; }

int level_legend_height(int levels) {
  return kLegendRow * (levels + rows_below_levels(levels) + 1) + kLegendRow / 2;
}

void paint_level_legend(Sheet sheet, const Layout& layout, const Outlines& outlines,
                        const StateValues& values, std::size_t unnested, Colour inside) {
  const PixelBox& column = layout.column();
  const int row = layout.unit(kLegendRow);
  const int sign = layout.unit(kSign);
  const int levels = values.mesh().levels();
  const int first = column.y0 + rows_below_levels(levels) * row;
  const auto write = [&](int x, int y, const std::string& words) {
    sheet.lettering.text(x, y, fitted(text(layout), column.x1 - x, words), words);
  };
  write(column.x0, first + levels * row + row / 2, "patches");
  for (int level = 0; level < levels; ++level) {
    const int y = first + (levels - 1 - level) * row + (row - sign) / 2;
    const PixelBox box = {column.x0, y, column.x0 + sign - 1, y + sign - 1};
    const bool visible = outlines.visible(level);
    if (visible) outlines.paint_sample(sheet.colours, box, level, inside);
    write(visible ? box.x1 + layout.unit(12) : column.x0, (box.y0 + box.y1) / 2,
          fmt::format("level {}: {}{}", level, values.mesh().size(level),
                      visible ? "" : ", not drawn"));
  }
  if (unnested > 0) write(column.x0, column.y0 + row / 2, fmt::format("not nested: {}", unnested));
}

}  // namespace kumiko::viz
