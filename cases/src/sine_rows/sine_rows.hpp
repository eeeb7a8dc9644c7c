// Fields that are made of sines along x and along y, for many points at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/instruction_set.hpp>

#include "kernel.hpp"

namespace kumiko::cases {

/// The sine forms of points, by the widest instructions that the processor has. Of points that form
/// a grid, as solvers' own points and faces do, only one row and one column are computed.
class SineRows {
 public:
  /// sin²(πx), sin(2πx) and the same of y for some points. Each is indexed by the point.
  template <class Y>
  struct Forms {
    const double* x_squared;
    const double* x_doubled;
    Y y_squared;
    Y y_doubled;
  };

  /// \param periods  that a unit of length has, each way
  explicit SineRows(double periods)
      : periods_(periods),
        row_(amr::select(&sine_row_baseline, &sine_row_avx2, &sine_row_avx512)) {}

  /// Calls set(first, count, forms at (x + shift, y)) for all points, `count` from `first` on at a
  /// time. The bits of a point do not depend on the others. The forms have two types: of a row the
  /// points have one y.
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
        set(first, grid.width,
            Forms<const double*>{x.squared.data(), x.doubled.data(), y.squared.data(),
                                 y.doubled.data()});
        first += grid.width;
        continue;
      }
      for (std::size_t row = 0; row < grid.rows; ++row) {
        moved[row] = points.y[first + row * grid.width];
      }
      fill({moved.data(), grid.rows}, y);
      for (std::size_t row = 0; row < grid.rows; ++row) {
        set(first, grid.width,
            Forms<Same>{x.squared.data(), x.doubled.data(), {y.squared[row]}, {y.doubled[row]}});
        first += grid.width;
      }
    }
  }

 private:
  static constexpr std::size_t kAtOnce = 64;

  /// One value for all points of a row.
  struct Same {
    double value;

    double operator[](std::size_t /*at*/) const { return value; }
  };

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
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    while (width < left && bits(y[width]) == bits(y[0])) ++width;
    if (width < kNarrow || width > kAtOnce) return {std::min(left, kAtOnce), 0};
    std::size_t rows = 1;
    const auto is_row = [&](std::size_t row) {
      const double* const of_y = &y[row * width];
      return std::memcmp(x.data(), &x[row * width], width * sizeof(double)) == 0 &&
             std::memcmp(of_y, of_y + 1, (width - 1) * sizeof(double)) == 0;
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
