#include "outlines.hpp"

#include <algorithm>
#include <array>

#include "colour_map.hpp"

namespace kumiko::viz {

namespace {

constexpr Colour kWhite = {255, 255, 255};
constexpr Colour kBlack = {0, 0, 0};

/// By level: greys to warm, all apart from viridis and from one another.
constexpr std::array<Colour, 8> kLevelColours = {{{150, 150, 165},
                                                  {235, 235, 235},
                                                  {255, 120, 60},
                                                  {255, 60, 160},
                                                  {255, 200, 200},
                                                  {200, 160, 255},
                                                  {120, 220, 255},
                                                  {255, 255, 120}}};

double opacity(bool dark, int level) {
  constexpr double kBase = 0.5;
  constexpr double kFiner = 0.85;
  constexpr double kContrast = 0.6;
  if (!dark) return kContrast;
  return level == 0 ? kBase : kFiner;
}

/// Black or white, whichever stands out more.
Colour contrast(Colour below) {
  constexpr double kMiddle = 0.5;
  return lightness(below) > kMiddle ? kBlack : kWhite;
}

}  // namespace

bool Outlines::visible(int level) const {
  constexpr int kLeastSide = 6;
  return geometry_.spacing(level) * amr::kPatchSize * layout_.pixels_per_length() >= kLeastSide;
}

int Outlines::thickness(int level) const {
  constexpr int kThickest = 3;
  if (dark_) return std::max(1, layout_.unit(1));
  return std::max(1, layout_.unit(std::max(1, kThickest - level)));
}

void Outlines::line(Canvas& canvas, int level, const PixelBox& box) const {
  for (int y = box.y0; y <= box.y1; ++y) {
    for (int x = box.x0; x <= box.x1; ++x) {
      if (!canvas.inside(x, y)) continue;
      const Colour colour =
          dark_ ? kLevelColours[static_cast<std::size_t>(level)] : contrast(canvas.at(x, y));
      canvas.blend(x, y, colour, opacity(dark_, level));
    }
  }
}

void Outlines::line_about(Canvas& canvas, int level, const PixelBox& box) const {
  const int before = (thickness(level) - 1) / 2;
  const int after = thickness(level) / 2;
  const bool is_level = box.y0 == box.y1;
  const PixelBox& plot = layout_.plot();
  PixelBox thick = box;
  (is_level ? thick.y0 : thick.x0) -= before;
  (is_level ? thick.y1 : thick.x1) += after;
  line(canvas, level,
       {std::max(thick.x0, plot.x0), std::max(thick.y0, plot.y0), std::min(thick.x1, plot.x1),
        std::min(thick.y1, plot.y1)});
}

/// The lower left corner of a patch lies at its first node; its right and upper edges are those of
/// its neighbours, where there are any.
void Outlines::paint(Canvas& canvas, const StateValues& values) const {
  for (int level = 0; level < values.levels(); ++level) {
    if (!visible(level)) continue;
    const double side = geometry_.spacing(level) * amr::kPatchSize;
    for (const amr::PatchId& id : values.level(level).patches) {
      const int x0 = layout_.x(id.i * side);
      const int x1 = layout_.x((id.i + 1) * side);
      const int y0 = layout_.y(id.j * side);
      const int y1 = layout_.y((id.j + 1) * side);
      line_about(canvas, level, {x0, y0, x1 - 1, y0});
      line_about(canvas, level, {x0, y0 + 1, x0, y1 - 1});
      if (!values.has({level, id.i + 1, id.j})) line_about(canvas, level, {x1, y0, x1, y1});
      if (!values.has({level, id.i, id.j + 1})) line_about(canvas, level, {x0, y1, x1 - 1, y1});
    }
  }
}

void Outlines::paint_sample(Canvas& canvas, const PixelBox& box, int level, Colour inside) const {
  const int inset = layout_.unit(5);
  const int width = dark_ ? std::max(2, layout_.unit(2)) : thickness(level);
  canvas.fill(box.x0, box.y0, box.x1, box.y1, inside);
  const PixelBox edge = {box.x0 + inset, box.y0 + inset, box.x1 - inset, box.y1 - inset};
  line(canvas, level, {edge.x0, edge.y0, edge.x1, edge.y0 + width - 1});
  line(canvas, level, {edge.x0, edge.y1 - width + 1, edge.x1, edge.y1});
  line(canvas, level, {edge.x0, edge.y0 + width, edge.x0 + width - 1, edge.y1 - width});
  line(canvas, level, {edge.x1 - width + 1, edge.y0 + width, edge.x1, edge.y1 - width});
}

}  // namespace kumiko::viz
