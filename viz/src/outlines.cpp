#include "outlines.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "colour_map.hpp"

namespace kumiko::viz {

namespace {

/// By level: greys to warm, all apart from viridis and from one another.
constexpr std::array<Colour, 8> kLevelColours = {{{150, 150, 165},
                                                  {235, 235, 235},
                                                  {255, 120, 60},
                                                  {255, 60, 160},
                                                  {255, 200, 200},
                                                  {200, 160, 255},
                                                  {120, 220, 255},
                                                  {255, 255, 120}}};

/// Coarse lines are broad or pale, so that they do not hide what lies between finer ones.
double opacity(bool dark, int level) {
  constexpr std::array<double, 2> kDark = {0.5, 0.85};
  constexpr std::array<double, 3> kLight = {0.5, 0.7, 0.4};
  const auto at = static_cast<std::size_t>(level);
  return dark ? kDark[std::min(at, kDark.size() - 1)] : kLight[std::min(at, kLight.size() - 1)];
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
  return std::max(1, layout_.unit(dark_ || level > 0 ? 1 : 2));
}

void Outlines::line(Canvas& canvas, int level, const PixelBox& box) const {
  for (int y = box.y0; y <= box.y1; ++y) {
    for (int x = box.x0; x <= box.x1; ++x) {
      const Colour colour =
          dark_ ? kLevelColours[static_cast<std::size_t>(level)] : contrast(canvas.at(x, y));
      canvas.blend(x, y, colour, opacity(dark_, level));
    }
  }
}

/// Paints lines within the domain. Lines of several levels lie upon one another where they share an
/// edge: without colours the first, the coarsest, stays as it is.
class Outlines::Pen {
 public:
  Pen(const Outlines& outlines, Canvas& canvas, int level, std::vector<bool>& taken)
      : outlines_(outlines), canvas_(canvas), level_(level), taken_(taken) {}

  /// A line of the level's thickness about the pixels of a box that is one pixel wide.
  void operator()(const PixelBox& box) {
    const PixelBox& plot = outlines_.layout_.plot();
    const int thickness = outlines_.thickness(level_);
    PixelBox thick = box;
    const bool is_level = box.y0 == box.y1;
    (is_level ? thick.y0 : thick.x0) -= (thickness - 1) / 2;
    (is_level ? thick.y1 : thick.x1) += thickness / 2;
    for (int y = std::max(thick.y0, plot.y0); y <= std::min(thick.y1, plot.y1); ++y) {
      for (int x = std::max(thick.x0, plot.x0); x <= std::min(thick.x1, plot.x1); ++x) dot(x, y);
    }
  }

 private:
  void dot(int x, int y) {
    const PixelBox& plot = outlines_.layout_.plot();
    const auto width = static_cast<std::size_t>(plot.x1 - plot.x0 + 1);
    const auto at =
        static_cast<std::size_t>(y - plot.y0) * width + static_cast<std::size_t>(x - plot.x0);
    if (taken_[at] && !outlines_.dark_) return;
    taken_[at] = true;
    outlines_.line(canvas_, level_, {x, y, x, y});
  }

  const Outlines& outlines_;
  Canvas& canvas_;
  int level_;
  std::vector<bool>& taken_;
};

/// The lower left corner of a patch lies at its first node; its right and upper edges are those of
/// its neighbours, where there are any.
void Outlines::paint(Canvas& canvas, const StateValues& values) const {
  const PixelBox& plot = layout_.plot();
  std::vector<bool> taken(static_cast<std::size_t>(plot.x1 - plot.x0 + 1) *
                          static_cast<std::size_t>(plot.y1 - plot.y0 + 1));
  for (int level = 0; level < values.levels(); ++level) {
    if (!visible(level)) continue;
    Pen line(*this, canvas, level, taken);
    const double side = geometry_.spacing(level) * amr::kPatchSize;
    for (const amr::PatchId& id : values.level(level).patches) {
      const int x0 = layout_.x(id.i * side);
      const int x1 = layout_.x((id.i + 1) * side);
      const int y0 = layout_.y(id.j * side);
      const int y1 = layout_.y((id.j + 1) * side);
      line({x0, y0, x1 - 1, y0});
      line({x0, y0 + 1, x0, y1 - 1});
      if (!values.has({level, id.i + 1, id.j})) line({x1, y0, x1, y1});
      if (!values.has({level, id.i, id.j + 1})) line({x0, y1, x1 - 1, y1});
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
