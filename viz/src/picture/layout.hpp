// Computes where everything lies in a picture of the domain.
#pragma once

#include <kumiko/amr/geometry.hpp>
#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

/// A box of pixels, ends included.
struct PixelBox {
  int x0;
  int y0;
  int x1;
  int y1;
};

/// The domain's box, with room for axes on the left and below, a title above, and a column for
/// colour bar and legend on the right. Lengths are in pixels and grow with the picture.
class Layout {
 public:
  /// \param least_column  height that the column needs at least, in units of unit()
  Layout(const amr::Extent& extent, const StateImageOptions& options, int least_column);

  /// The given length of a picture of kUsualPictureWidth that is lettered as usual, in this one.
  int unit(int length) const;
  int width() const { return width_; }
  int height() const { return height_; }
  /// The pixel whose left or lower edge is at a coordinate.
  int x(double coordinate) const;
  int y(double coordinate) const;
  /// The pixels of the domain.
  const PixelBox& plot() const { return plot_; }
  const PixelBox& column() const { return column_; }
  double pixels_per_length() const { return scale_; }

 private:
  double unit_;
  double scale_;
  PixelBox plot_{};
  PixelBox column_{};
  int width_ = 0;
  int height_ = 0;
};

}  // namespace kumiko::viz
