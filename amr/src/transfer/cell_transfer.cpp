#include "transfer/cell_transfer.hpp"

#include <array>

namespace kumiko::amr {

namespace {

/// Coarse rows or columns that a range of kPatchSize fine ones reads, when it begins within a cell.
constexpr int kLargestSpan = kPatchSize / 2 + 1 + 2 * kCellReach;

/// How far the averages of a cell's two halves lie from its own. The weights are exact in binary.
double half_difference(const double* u, std::ptrdiff_t step) {
  return 0.171875 * (u[step] - u[-step]) - 0.0234375 * (u[2 * step] - u[-2 * step]);
}

/// -1 for the lower half of a coarse cell, 1 for the upper one.
double side(int fine_index) { return (fine_index & 1) != 0 ? 1.0 : -1.0; }

}  // namespace

void interpolate_cells(const double* coarse, std::ptrdiff_t stride, const PointRange& range,
                       double* fine, std::ptrdiff_t fine_stride) {
  std::array<double, static_cast<std::size_t>(kLargestSpan * kPatchSize)> rows;
  const int first_row = (range.j0 >> 1) - kCellReach;
  const int last_row = ((range.j1 - 1) >> 1) + kCellReach;
  for (int row = first_row; row <= last_row; ++row) {
    double* const out = rows.data() + (row - first_row) * kPatchSize;
    for (int i = range.i0; i < range.i1; ++i) {
      const double* const u = coarse + row * stride + (i >> 1);
      out[i - range.i0] = *u + side(i) * half_difference(u, 1);
    }
  }
  for (int j = range.j0; j < range.j1; ++j) {
    const double* const row = rows.data() + ((j >> 1) - first_row) * kPatchSize;
    double* const out = fine + (j - range.j0) * fine_stride;
    const double sign = side(j);
    for (int at = 0; at < range.i1 - range.i0; ++at) {
      out[at] = row[at] + sign * half_difference(row + at, kPatchSize);
    }
  }
}

void prolong_cells(ConstPatchView parent, int quadrant, PatchView fine) {
  const int i0 = kRefinementRatio * quadrant_begin(quadrant, 0);
  const int j0 = kRefinementRatio * quadrant_begin(quadrant, 1);
  for (int component = 0; component < fine.components(); ++component) {
    interpolate_cells(parent.origin(component), parent.stride(),
                      {i0, i0 + kPatchSize, j0, j0 + kPatchSize}, fine.origin(component),
                      fine.stride());
  }
}

void restrict_cells(ConstPatchView fine, int quadrant, PatchView parent) {
  const int i0 = quadrant_begin(quadrant, 0);
  const int j0 = quadrant_begin(quadrant, 1);
  for (int component = 0; component < fine.components(); ++component) {
    for (int j = 0; j < kQuadrantSize; ++j) {
      const double* const lower = fine.origin(component) + 2 * j * fine.stride();
      const double* const upper = lower + fine.stride();
      double* const out = &parent(i0, j0 + j, component);
      for (int i = 0; i < kQuadrantSize; ++i) {
        out[i] = 0.25 * ((lower[2 * i] + lower[2 * i + 1]) + (upper[2 * i] + upper[2 * i + 1]));
      }
    }
  }
}

}  // namespace kumiko::amr
