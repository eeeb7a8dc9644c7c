#include "picture/layout.hpp"

#include <algorithm>
#include <cmath>

namespace kumiko::viz {

namespace {

constexpr int kLeft = 90;
constexpr int kRight = 200;
constexpr int kBottom = 80;
constexpr int kTop = 80;      ///< of a title
constexpr int kBareTop = 30;  ///< of none
constexpr int kGap = 40;      ///< between domain and column

}  // namespace

Layout::Layout(const amr::Extent& extent, const StateImageOptions& options, int least_column)
    : unit_(options.lettering * options.width / kUsualPictureWidth) {
  const int side = options.width - unit(kLeft) - unit(kRight);
  scale_ = side / std::max(extent.x, extent.y);
  const int plot_width = std::max(1, static_cast<int>(std::lround(extent.x * scale_)));
  const int plot_height = std::max(1, static_cast<int>(std::lround(extent.y * scale_)));
  const int content = std::max(plot_height, unit(least_column));
  const int bottom = unit(kBottom) + (content - plot_height) / 2;
  plot_ = {unit(kLeft), bottom, unit(kLeft) + plot_width - 1, bottom + plot_height - 1};
  width_ = unit(kLeft) + plot_width + unit(kRight);
  height_ = unit(kBottom) + content + unit(options.title.empty() ? kBareTop : kTop);
  column_ = {plot_.x1 + 1 + unit(kGap), unit(kBottom), width_ - 1, unit(kBottom) + content - 1};
}

int Layout::unit(int length) const { return static_cast<int>(std::lround(length * unit_)); }

int Layout::x(double coordinate) const {
  return plot_.x0 + static_cast<int>(std::lround(coordinate * scale_));
}

int Layout::y(double coordinate) const {
  return plot_.y0 + static_cast<int>(std::lround(coordinate * scale_));
}

}  // namespace kumiko::viz
