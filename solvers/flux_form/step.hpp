// One conservative step of one patch, as the kernels of flux-form solvers see it.
#pragma once

#include <cstddef>

namespace kumiko::solvers::flux_form {

/// Values of cells or of their lower faces -2 .. 21 by -2 .. 18 of a patch, x fastest.
struct Grid {
  static constexpr std::ptrdiff_t kStride = 24;
  double values[21 * kStride];

  double* row(int j) { return values + (j + 2) * kStride + 2; }
  const double* row(int j) const { return values + (j + 2) * kStride + 2; }
};

/// Fluxes through the lower faces of cells, as Courant number × u.
struct Fluxes {
  Grid x;
  Grid y;
};

/// One patch and one component. Pointers address cell (0, 0), or its lower face.
struct Step {
  const double* before;
  std::ptrdiff_t before_stride;
  const double* vx;  ///< Courant numbers of the faces normal to x
  std::ptrdiff_t vx_stride;
  const double* vy;  ///< Courant numbers of the faces normal to y
  std::ptrdiff_t vy_stride;
  double* after;
  std::ptrdiff_t after_stride;
  double negligible;  ///< new values of a smaller magnitude count as 0
  Fluxes* fluxes;     ///< filled for the faces of the patch's own cells
};

}  // namespace kumiko::solvers::flux_form
