// How the edges of patches look, level by level.
#pragma once

#include "canvas.hpp"
#include "layout.hpp"
#include "state_values.hpp"

namespace kumiko::viz {

class Outlines {
 public:
  /// @param dark  for pictures as dark as viridis's lower half: lines in a colour for each level.
  ///              Else lines black over light colours and white over dark ones, for the picture
  ///              needs the hues; broad ones for level 0.
  Outlines(bool dark, const Layout& layout, const amr::Geometry& geometry)
      : dark_(dark), layout_(layout), geometry_(geometry) {}

  /// Whether a level's patches are large enough for their field to show within lines.
  bool visible(int level) const;
  void paint(Canvas& canvas, const StateValues& values) const;
  /// A patch's outline as a sign in a legend.
  void paint_sample(Canvas& canvas, const PixelBox& box, int level, Colour inside) const;

 private:
  class Pen;

  int thickness(int level) const;
  /// Fills a box within the canvas, over what is there.
  void line(Canvas& canvas, int level, const PixelBox& box) const;

  bool dark_;
  const Layout& layout_;
  const amr::Geometry& geometry_;
};

}  // namespace kumiko::viz
