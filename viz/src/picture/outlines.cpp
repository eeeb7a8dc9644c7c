#include "picture/outlines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace kumiko::viz {

namespace {

/// By level: greys to warm, all apart from viridis and from one another.
constexpr Colour kLevelColours[] = {{150, 150, 165}, {235, 235, 235}, {255, 120, 60},
                                    {255, 60, 160},  {255, 200, 200}, {200, 160, 255},
                                    {120, 220, 255}, {255, 255, 120}};

/// Coarse lines are pale, so that finer ones stand out.
double opacity(bool has_ink, int level) {
  constexpr std::array<double, 3> kOfInk = {0.45, 0.6, 0.75};
  constexpr std::array<double, 2> kOfLevels = {0.5, 0.85};
  const auto at = static_cast<std::size_t>(level);
  return has_ink ? kOfInk[std::min(at, kOfInk.size() - 1)]
                 : kOfLevels[std::min(at, kOfLevels.size() - 1)];
}

/// The opacity of the shadow next to a line.
double shade(int level) { return level == 0 ? 0.35 : 0.5; }

}  // namespace

bool Outlines::visible(int level) const {
  constexpr int kLeastSide = 6;
  return geometry_.spacing(level) * amr::kPatchSize * layout_.pixels_per_length() >= kLeastSide;
}

/// One pixel in a picture as wide as usual, two where it is shown smaller than it is.
int Outlines::thickness() const {
  constexpr double kUnits = 1.2;
  return std::max(1, static_cast<int>(std::lround(layout_.unit(10) * kUnits / 10.0)));
}

void Outlines::line(Canvas& canvas, int level, const PixelBox& box) const {
  const Colour colour = ink_ ? *ink_ : kLevelColours[static_cast<std::size_t>(level)];
  for (int y = box.y0; y <= box.y1; ++y) {
    for (int x = box.x0; x <= box.x1; ++x) {
      canvas.blend(x, y, colour, opacity(ink_.has_value(), level));
    }
  }
}

/// Paints lines, or their shadows, within the domain. Where those of several levels share an edge
/// the first one stays as it is, but for lines in their levels' colours.
class Outlines::Pen {
 public:
  Pen(const Outlines& outlines, Canvas& canvas, bool is_shadow)
      : outlines_(outlines),
        canvas_(canvas),
        is_shadow_(is_shadow),
        taken_(static_cast<std::size_t>(width()) *
               static_cast<std::size_t>(plot().y1 - plot().y0 + 1)) {}

  void begin(int level) { level_ = level; }

  /// A line about the pixels of a box that is one pixel wide, or its shadow: as thick, to the right
  /// or below.
  void operator()(const PixelBox& box) {
    const int thickness = outlines_.thickness();
    PixelBox thick = box;
    const bool is_level = box.y0 == box.y1;
    (is_level ? thick.y0 : thick.x0) -= (thickness - 1) / 2;
    (is_level ? thick.y1 : thick.x1) += thickness / 2;
    if (is_shadow_) {
      const int across = is_level ? -thickness : thickness;
      (is_level ? thick.y0 : thick.x0) += across;
      (is_level ? thick.y1 : thick.x1) += across;
    }
    for (int y = std::max(thick.y0, plot().y0); y <= std::min(thick.y1, plot().y1); ++y) {
      for (int x = std::max(thick.x0, plot().x0); x <= std::min(thick.x1, plot().x1); ++x) {
        dot(x, y);
      }
    }
  }

 private:
  const PixelBox& plot() const { return outlines_.layout_.plot(); }
  int width() const { return plot().x1 - plot().x0 + 1; }

  void dot(int x, int y) {
    const auto at = static_cast<std::size_t>(y - plot().y0) * static_cast<std::size_t>(width()) +
                    static_cast<std::size_t>(x - plot().x0);
    if (taken_[at] && (is_shadow_ || outlines_.ink_)) return;
    taken_[at] = true;
    if (is_shadow_) {
      canvas_.blend(x, y, kBlack, shade(level_));
    } else {
      outlines_.line(canvas_, level_, {x, y, x, y});
    }
  }

  const Outlines& outlines_;
  Canvas& canvas_;
  bool is_shadow_;
  std::vector<bool> taken_;
  int level_ = 0;
};

/// The lower left corner of a patch lies at its first node; its right and upper edges are those of
/// its neighbours, where there are any.
void Outlines::paint_level(Pen& pen, const StateValues& values, int level) const {
  if (!visible(level)) return;
  pen.begin(level);
  const double side = geometry_.spacing(level) * amr::kPatchSize;
  for (const amr::PatchId& id : values.mesh().ids(level)) {
    const int x0 = layout_.x(id.i * side);
    const int x1 = layout_.x((id.i + 1) * side);
    const int y0 = layout_.y(id.j * side);
    const int y1 = layout_.y((id.j + 1) * side);
    pen({x0, y0, x1 - 1, y0});
    pen({x0, y0 + 1, x0, y1 - 1});
    if (values.mesh().find({level, id.i + 1, id.j}) < 0) pen({x1, y0, x1, y1});
    if (values.mesh().find({level, id.i, id.j + 1}) < 0) pen({x0, y1, x1 - 1, y1});
  }
}

/// All shadows before all lines, which they would interrupt; the finest first, whose are darkest.
void Outlines::paint(Canvas& canvas, const StateValues& values) const {
  const int levels = values.mesh().levels();
  if (!ink_) {
    Pen shadow(*this, canvas, true);
    for (int level = levels - 1; level >= 0; --level) paint_level(shadow, values, level);
  }
  Pen line(*this, canvas, false);
  for (int level = 0; level < levels; ++level) paint_level(line, values, level);
}

void Outlines::paint_sample(Canvas& canvas, const PixelBox& box, int level, Colour inside) const {
  const int inset = layout_.unit(5);
  const int width = std::max(2, layout_.unit(2));
  canvas.fill(box.x0, box.y0, box.x1, box.y1, inside);
  const PixelBox edge = {box.x0 + inset, box.y0 + inset, box.x1 - inset, box.y1 - inset};
  line(canvas, level, {edge.x0, edge.y0, edge.x1, edge.y0 + width - 1});
  line(canvas, level, {edge.x0, edge.y1 - width + 1, edge.x1, edge.y1});
  line(canvas, level, {edge.x0, edge.y0 + width, edge.x0 + width - 1, edge.y1 - width});
  line(canvas, level, {edge.x1 - width + 1, edge.y0 + width, edge.x1, edge.y1 - width});
}

}  // namespace kumiko::viz
