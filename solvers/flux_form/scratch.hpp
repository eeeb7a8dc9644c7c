// Scratch fields on one patch, for solvers that compute fluxes in stages.
#pragma once

#include <array>
#include <cstddef>

#include <kumiko/amr/patch_view.hpp>

namespace kumiko::solvers::flux_form {

/// Cells of one component.
struct Cells {
  const double* origin;  ///< cell (0, 0)
  std::ptrdiff_t stride;

  const double* row(int j) const { return origin + j * stride; }
};

inline Cells cells_of(amr::ConstPatchView view, int component) {
  return {view.origin(component), view.stride()};
}

/// Values of cells or faces -Margin .. 15 + Margin each way.
template <int Margin>
class Scratch {
 public:
  static constexpr std::ptrdiff_t kStride = amr::kPatchSize + 2 * Margin;
  double* row(int j) { return values_.data() + (j + Margin) * kStride + Margin; }
  const double* row(int j) const { return values_.data() + (j + Margin) * kStride + Margin; }
  Cells cells() const { return {row(0), kStride}; }

 private:
  std::array<double, static_cast<std::size_t>(kStride* kStride)> values_;
};

/// Fluxes, positive along the axes: face (i, j) is the lower one of cell (i, j).
template <int Margin>
struct StageFluxes {
  Scratch<Margin> x;
  Scratch<Margin> y;

  /// What a cell gains.
  double gain(int i, int j) const {
    return (x.row(j)[i] - x.row(j)[i + 1]) + (y.row(j)[i] - y.row(j + 1)[i]);
  }
};

/// The patch's cells and so many layers around them.
constexpr amr::PointRange cells_within(int margin) {
  return {-margin, amr::kPatchSize + margin, -margin, amr::kPatchSize + margin};
}

/// Calls set(i, j) for the cells of a range.
template <class Set>
void for_cells(const amr::PointRange& range, Set set) {
  for (int j = range.j0; j < range.j1; ++j) {
    for (int i = range.i0; i < range.i1; ++i) set(i, j);
  }
}

}  // namespace kumiko::solvers::flux_form
