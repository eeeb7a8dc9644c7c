// Draws the edges of patches, level by level.
#pragma once

#include <optional>

#include "picture/canvas.hpp"
#include "picture/layout.hpp"
#include "picture/state_values.hpp"

namespace kumiko::viz {

class Outlines {
 public:
  /// A line has one colour from end to end: one that followed the picture's, white over dark spots,
  /// would look like missing values there.
  /// \param ink  a colour that stands out from all of the picture's; pale lines for level 0.
  ///             Without it, as for viridis, which has both very dark and very light ones: lines in
  ///             a colour for each level, and a shadow along them that shows where they do not.
  Outlines(std::optional<Colour> ink, const Layout& layout, const amr::Geometry& geometry)
      : ink_(ink), layout_(layout), geometry_(geometry) {}

  /// True if a level's patches are large enough for their field to show within lines.
  bool visible(int level) const;
  void paint(Canvas& canvas, const StateValues& values) const;
  /// A patch's outline as a sign in a legend.
  void paint_sample(Canvas& canvas, const PixelBox& box, int level, Colour inside) const;

 private:
  class Pen;

  int thickness() const;
  /// Fills a box within the canvas, over what is there.
  void line(Canvas& canvas, int level, const PixelBox& box) const;
  /// The edges of all patches of a level.
  void paint_level(Pen& pen, const StateValues& values, int level) const;

  std::optional<Colour> ink_;
  const Layout& layout_;
  const amr::Geometry& geometry_;
};

}  // namespace kumiko::viz
