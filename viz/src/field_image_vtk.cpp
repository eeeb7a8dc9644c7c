#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include <kumiko/viz/field_image.hpp>

#include "canvas.hpp"
#include "colour_map.hpp"

namespace kumiko::viz {

namespace {

using amr::Hierarchy;
using amr::kPatchSize;

constexpr Colour kWhite = {255, 255, 255};
constexpr Colour kBlack = {0, 0, 0};
/// Outline colours by level: greys to warm, all apart from viridis and from one another.
constexpr std::array<Colour, 8> kLevelColours = {{{150, 150, 165},
                                                  {235, 235, 235},
                                                  {255, 120, 60},
                                                  {255, 60, 160},
                                                  {255, 200, 200},
                                                  {200, 160, 255},
                                                  {120, 220, 255},
                                                  {255, 255, 120}}};
constexpr std::array<double, 2> kOutlineOpacity = {0.5, 0.85};  ///< of level 0, of finer levels

constexpr int kPlotSize = 1024;  ///< pixels along the longer side of the domain
constexpr int kMarginLeft = 90;
constexpr int kMarginRight = 200;
constexpr int kMarginBottom = 80;
constexpr int kMarginTop = 80;
constexpr int kTextSize = 20;
constexpr int kTitleSize = 26;
constexpr int kTicks = 5;  ///< intervals between ticks

/// Places the domain on the canvas: the point (x, y) lies at pixel (left + x s, bottom + y s).
struct Frame {
  explicit Frame(const amr::Extent& extent)
      : scale(kPlotSize / std::max(extent.x, extent.y)),
        width(static_cast<int>(std::lround(extent.x * scale))),
        height(static_cast<int>(std::lround(extent.y * scale))) {}

  int x(double coordinate) const {
    return kMarginLeft + static_cast<int>(std::lround(coordinate * scale));
  }
  int y(double coordinate) const {
    return kMarginBottom + static_cast<int>(std::lround(coordinate * scale));
  }

  double scale;
  int width;
  int height;
};

/// Paints every point of the domain by the leaf node nearest to it, or by the leaf cell that it
/// lies in. A node's square reaches half a spacing each way, to the domain's end for the last
/// nodes. The levels go from coarse to fine: where a finer level begins, between the two levels'
/// squares, the covered coarse node shows, which holds the same value as the fine node that lies
/// there.
void paint_field(Canvas& canvas, const Frame& frame, const Hierarchy& hierarchy,
                 const ColourMap& colour) {
  const amr::Extent extent = hierarchy.geometry().extent();
  // How far a point's square reaches below its coordinate index × spacing.
  const double before = hierarchy.geometry().centring() == amr::Centring::kCell ? 0.0 : 0.5;
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    const double h = hierarchy.geometry().spacing(index);
    const auto first = [&](int point) { return std::max((point - before) * h, 0.0); };
    const auto last = [&](int point, double length) {
      return (point + 1.5) * h > length ? length : (point + 1 - before) * h;
    };
    const amr::Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const amr::Patch& patch = level.patch(slot);
      for (int point = 0; point < amr::kPatchPoints; ++point) {
        const int i = patch.id().i * kPatchSize + point % kPatchSize;
        const int j = patch.id().j * kPatchSize + point / kPatchSize;
        canvas.fill(frame.x(first(i)), frame.y(first(j)), frame.x(last(i, extent.x)) - 1,
                    frame.y(last(j, extent.y)) - 1,
                    colour(patch.now()(point % kPatchSize, point / kPatchSize)));
      }
    }
  }
}

/// Lines one pixel wide. The lower left corner of a patch lies at its first node; its right and
/// upper edges are those of its neighbours, where there are any.
void paint_outlines(Canvas& canvas, const Frame& frame, const Hierarchy& hierarchy) {
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    const double side = hierarchy.geometry().spacing(index) * kPatchSize;
    const Colour colour = kLevelColours[static_cast<std::size_t>(index)];
    const double opacity = kOutlineOpacity[index == 0 ? 0 : 1];
    const auto line = [&](int x0, int y0, int x1, int y1) {
      for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) canvas.blend(x, y, colour, opacity);
      }
    };
    const amr::Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const amr::PatchId& id = level.patch(slot).id();
      const int x0 = frame.x(id.i * side);
      const int x1 = frame.x((id.i + 1) * side);
      const int y0 = frame.y(id.j * side);
      const int y1 = frame.y((id.j + 1) * side);
      line(x0, y0, x1 - 1, y0);
      line(x0, y0 + 1, x0, y1 - 1);
      if (level.find({index, id.i + 1, id.j}) < 0) line(x1, y0, x1, y1);
      if (level.find({index, id.i, id.j + 1}) < 0) line(x0, y1, x1 - 1, y1);
    }
  }
}

void paint_box(Canvas& canvas, int x0, int y0, int x1, int y1) {
  canvas.fill(x0, y0, x1, y0, kBlack);
  canvas.fill(x0, y1, x1, y1, kBlack);
  canvas.fill(x0, y0, x0, y1, kBlack);
  canvas.fill(x1, y0, x1, y1, kBlack);
}

void paint_axes(Canvas& canvas, const Frame& frame, const amr::Extent& extent) {
  paint_box(canvas, kMarginLeft - 1, kMarginBottom - 1, kMarginLeft + frame.width,
            kMarginBottom + frame.height);
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double x = extent.x * tick / kTicks;
    const double y = extent.y * tick / kTicks;
    canvas.fill(frame.x(x), kMarginBottom - 8, frame.x(x), kMarginBottom - 1, kBlack);
    canvas.text(frame.x(x), kMarginBottom - 24, Align::kCentre, kTextSize, fmt::format("{:g}", x));
    canvas.fill(kMarginLeft - 8, frame.y(y), kMarginLeft - 1, frame.y(y), kBlack);
    canvas.text(kMarginLeft - 14, frame.y(y), Align::kRight, kTextSize, fmt::format("{:g}", y));
  }
  canvas.text(frame.x(0.5 * extent.x), kMarginBottom - 54, Align::kCentre, kTextSize, "x");
  canvas.text(kMarginLeft - 68, frame.y(0.5 * extent.y), Align::kCentre, kTextSize, "y");
}

void paint_colour_bar(Canvas& canvas, const Frame& frame, const ColourMap& colour,
                      const FieldImageOptions& options) {
  const int x0 = kMarginLeft + frame.width + 40;
  const int x1 = x0 + 32;
  const int y0 = kMarginBottom + frame.height / 3;
  const int y1 = kMarginBottom + frame.height - 40;
  const auto value_at = [&](double share) {
    return options.range_min + share * (options.range_max - options.range_min);
  };
  for (int y = y0; y <= y1; ++y) {
    canvas.fill(x0, y, x1, y, colour(value_at(static_cast<double>(y - y0) / (y1 - y0))));
  }
  paint_box(canvas, x0 - 1, y0 - 1, x1 + 1, y1 + 1);
  for (int tick = 0; tick <= kTicks; ++tick) {
    const int y = y0 + (y1 - y0) * tick / kTicks;
    canvas.fill(x1 + 1, y, x1 + 8, y, kBlack);
    canvas.text(x1 + 14, y, Align::kLeft, kTextSize,
                fmt::format("{:.3g}", value_at(static_cast<double>(tick) / kTicks)));
  }
  canvas.text((x0 + x1) / 2, y1 + 24, Align::kCentre, kTextSize, options.field_name);
}

/// Boxes in the outlines' colours on the field's darkest colour, as they stand in the picture.
void paint_legend(Canvas& canvas, const Frame& frame, const Hierarchy& hierarchy,
                  const ColourMap& colour, const FieldImageOptions& options) {
  constexpr int kHalf = 13;
  constexpr int kInset = 5;
  const int x = kMarginLeft + frame.width + 40;
  int y = kMarginBottom + frame.height / 3 - 60;
  canvas.text(x, y, Align::kLeft, kTextSize, "patches");
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    y -= 36;
    const Colour dark = colour(options.range_min);
    const auto square = [&](int inset, Colour paint) {
      canvas.fill(x + inset, y - kHalf + inset, x + 2 * kHalf - inset, y + kHalf - inset, paint);
    };
    square(0, dark);
    square(kInset, kLevelColours[static_cast<std::size_t>(index)]);
    square(kInset + 2, dark);
    canvas.text(x + 38, y, Align::kLeft, kTextSize,
                fmt::format("level {}: {}", index, hierarchy.level(index).size()));
  }
}

}  // namespace

bool pictures_available() { return true; }

void draw_field(const std::filesystem::path& file, const Hierarchy& hierarchy,
                const FieldImageOptions& options) {
  const amr::Extent extent = hierarchy.geometry().extent();
  const Frame frame(extent);
  Canvas canvas(kMarginLeft + frame.width + kMarginRight, kMarginBottom + frame.height + kMarginTop,
                kWhite);
  const ColourMap colour(options.range_min, options.range_max);
  paint_field(canvas, frame, hierarchy, colour);
  if (options.draw_outlines) paint_outlines(canvas, frame, hierarchy);
  paint_axes(canvas, frame, extent);
  paint_colour_bar(canvas, frame, colour, options);
  if (options.draw_outlines) paint_legend(canvas, frame, hierarchy, colour, options);
  canvas.text(kMarginLeft + frame.width / 2, kMarginBottom + frame.height + kMarginTop / 2,
              Align::kCentre, kTitleSize, options.title);
  canvas.write_png(file);
}

}  // namespace kumiko::viz
