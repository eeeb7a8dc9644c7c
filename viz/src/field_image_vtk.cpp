#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

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
constexpr std::array<double, 2> kOutlineOpacity = {0.35, 0.8};  ///< of level 0, of finer levels

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

/// Paints every leaf node over the square of points that are nearest to it, clipped to the domain.
void paint_field(Canvas& canvas, const Frame& frame, const Hierarchy& hierarchy,
                 const ColourMap& colour) {
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    const double h = hierarchy.geometry().spacing(index);
    for (const amr::LeafBlock& leaf : hierarchy.leaf_blocks(index)) {
      const amr::ConstPatchView values = leaf.patch->now();
      for (int j = leaf.j0; j < leaf.j0 + leaf.size; ++j) {
        for (int i = leaf.i0; i < leaf.i0 + leaf.size; ++i) {
          const double x = (leaf.patch->id().i * kPatchSize + i) * h;
          const double y = (leaf.patch->id().j * kPatchSize + j) * h;
          canvas.fill(std::max(frame.x(x - 0.5 * h), kMarginLeft),
                      std::max(frame.y(y - 0.5 * h), kMarginBottom),
                      std::min(frame.x(x + 0.5 * h), kMarginLeft + frame.width) - 1,
                      std::min(frame.y(y + 0.5 * h), kMarginBottom + frame.height) - 1,
                      colour(values(i, j)));
        }
      }
    }
  }
}

/// The lower left corner of a patch lies at its first node.
void paint_outlines(Canvas& canvas, const Frame& frame, const Hierarchy& hierarchy) {
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    const double side = hierarchy.geometry().spacing(index) * kPatchSize;
    const Colour colour = kLevelColours[static_cast<std::size_t>(index)];
    const double opacity = kOutlineOpacity[index == 0 ? 0 : 1];
    const amr::Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const amr::PatchId& id = level.patch(slot).id();
      const int x0 = frame.x(id.i * side);
      const int x1 = frame.x((id.i + 1) * side);
      const int y0 = frame.y(id.j * side);
      const int y1 = frame.y((id.j + 1) * side);
      for (int x = x0; x < x1; ++x) {
        canvas.blend(x, y0, colour, opacity);
        canvas.blend(x, y1 - 1, colour, opacity);
      }
      for (int y = y0 + 1; y < y1 - 1; ++y) {
        canvas.blend(x0, y, colour, opacity);
        canvas.blend(x1 - 1, y, colour, opacity);
      }
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
  const int x = kMarginLeft + frame.width + 40;
  int y = kMarginBottom + frame.height / 3 - 60;
  canvas.text(x, y, Align::kLeft, kTextSize, "patches");
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    y -= 34;
    canvas.fill(x, y - 11, x + 22, y + 11, colour(options.range_min));
    for (int width = 0; width < 2; ++width) {
      for (int at = width; at <= 22 - width; ++at) {
        const Colour outline = kLevelColours[static_cast<std::size_t>(index)];
        canvas.set(x + at, y - 11 + width, outline);
        canvas.set(x + at, y + 11 - width, outline);
        canvas.set(x + width, y - 11 + at, outline);
        canvas.set(x + 22 - width, y - 11 + at, outline);
      }
    }
    canvas.text(x + 34, y, Align::kLeft, kTextSize,
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
