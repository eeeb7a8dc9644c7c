#include "transfer/cell_transfer.hpp"

#include <array>

namespace kumiko::amr {

namespace {

/// Coarse rows or columns in which a range of kPatchSize fine ones may lie.
constexpr int kLargestSpan = kPatchSize / 2 + 1;

/// How far the averages of a cell's two halves lie from its own. The weights are exact in binary.
double half_difference(const double* u, std::ptrdiff_t step) {
  return 0.171875 * (u[step] - u[-step]) - 0.0234375 * (u[2 * step] - u[-2 * step]);
}

}  // namespace

void interpolate_cells(const double* coarse, std::ptrdiff_t stride, const PointRange& range,
                       double* fine, std::ptrdiff_t fine_stride) {
  constexpr int kHalves = 2 * kLargestSpan;
  std::array<double, static_cast<std::size_t>((kLargestSpan + 2 * kCellReach) * kHalves)> rows;
  const int first_column = range.i0 >> 1;
  const int columns = ((range.i1 - 1) >> 1) + 1 - first_column;
  const int first_row = range.j0 >> 1;
  const int end_row = ((range.j1 - 1) >> 1) + 1;
  // The two halves along x of each cell.
  double* halves = rows.data();
  for (int row = first_row - kCellReach; row < end_row + kCellReach; ++row) {
    const double* const cells = coarse + row * stride + first_column;
    for (int at = 0; at < columns; ++at) {
      const double difference = half_difference(cells + at, 1);
      halves[2 * at] = cells[at] - difference;
      halves[2 * at + 1] = cells[at] + difference;
    }
    halves += kHalves;
  }
  const int width = range.i1 - range.i0;
  const double* from = rows.data() + kCellReach * kHalves + (range.i0 - 2 * first_column);
  for (int row = first_row; row < end_row; ++row) {
    std::array<double, kPatchSize> differences;
    for (int at = 0; at < width; ++at) {
      differences[static_cast<std::size_t>(at)] = half_difference(from + at, kHalves);
    }
    if (2 * row >= range.j0) {
      double* const lower = fine + (2 * row - range.j0) * fine_stride;
      for (int at = 0; at < width; ++at) {
        lower[at] = from[at] - differences[static_cast<std::size_t>(at)];
      }
    }
    if (2 * row + 1 < range.j1) {
      double* const upper = fine + (2 * row + 1 - range.j0) * fine_stride;
      for (int at = 0; at < width; ++at) {
        upper[at] = from[at] + differences[static_cast<std::size_t>(at)];
      }
    }
    from += kHalves;
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
