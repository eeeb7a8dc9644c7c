// Fields that are made of sines along x and along y, for many points at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/instruction_set.hpp>

#include "kernel.hpp"

namespace kumiko::cases {

/// The sine forms of points, by the widest instructions that the processor has. Of points that form
/// a grid, as solvers' own points and faces do, only one row and one column are computed.
class SineRows {
 public:
  /// sin²(πx), sin(2πx) and the same of y at one point.
  struct Forms {
    double x_squared;
    double x_doubled;
    double y_squared;
    double y_doubled;
  };

  /// \param periods  that a unit of length has, each way
  explicit SineRows(double periods)
      : periods_(periods),
        row_(amr::select(&sine_row_baseline, &sine_row_avx2, &sine_row_avx512)) {}

  /// Calls set(index of the point, forms at (x + shift, y)) for each point. The bits of a point do
  /// not depend on the others.
  template <class Set>
  void for_each(amr::Points points, double shift, Set set) const {
    std::array<double, kAtOnce> moved;
    Row x;
    Row y;
    for (std::size_t first = 0; first < points.size();) {
      const Grid grid = grid_at(points, first);
      for (std::size_t at = 0; at < grid.width; ++at) moved[at] = points.x[first + at] + shift;
      fill({moved.data(), grid.width}, x);
      if (grid.rows == 0) {
        fill(points.y.subspan(first, grid.width), y);
        for (std::size_t at = 0; at < grid.width; ++at) {
          set(first + at, Forms{x.squared[at], x.doubled[at], y.squared[at], y.doubled[at]});
        }
        first += grid.width;
        continue;
      }
      for (std::size_t row = 0; row < grid.rows; ++row) {
        moved[row] = points.y[first + row * grid.width];
      }
      fill({moved.data(), grid.rows}, y);
      for (std::size_t row = 0; row < grid.rows; ++row, first += grid.width) {
        for (std::size_t at = 0; at < grid.width; ++at) {
          set(first + at, Forms{x.squared[at], x.doubled[at], y.squared[row], y.doubled[row]});
        }
      }
    }
  }

 private:
  static constexpr std::size_t kAtOnce = 64;

  struct Row {
    std::array<double, kAtOnce> squared;
    std::array<double, kAtOnce> doubled;
  };

  /// Points whose forms are computed together.
  struct Grid {
    std::size_t width;
    std::size_t rows;  ///< that have equal x, each with one y; 0: a list of `width` points
  };

  static Grid grid_at(amr::Points points, std::size_t first) {
    constexpr std::size_t kNarrow = 4;
    const std::size_t left = points.size() - first;
    const std::span<const double> x = points.x.subspan(first);
    const std::span<const double> y = points.y.subspan(first);
    std::size_t width = 1;
    while (width < left && y[width] == y[0]) ++width;
    if (width < kNarrow || width > kAtOnce) return {std::min(left, kAtOnce), 0};
    std::size_t rows = 1;
    const auto is_row = [&](std::size_t row) {
      const std::span<const double> of_y = y.subspan(row * width, width);
      return std::ranges::equal(x.first(width), x.subspan(row * width, width)) &&
             std::ranges::all_of(of_y, [&](double each) { return each == of_y[0]; });
    };
    while (rows < kAtOnce && (rows + 1) * width <= left && is_row(rows)) ++rows;
    return {width, rows};
  }

  void fill(std::span<const double> from, Row& row) const {
    row_(from.data(), from.size(), periods_, row.squared.data(), row.doubled.data());
  }

  double periods_;
  SineRow row_;
};

}  // namespace kumiko::cases
