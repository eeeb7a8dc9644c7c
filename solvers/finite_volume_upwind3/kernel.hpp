// The step of the third-order solver of cell averages, compiled once for each instruction set.
#pragma once

#include <cstddef>

#include "step.hpp"

namespace kumiko::solvers::upwind3 {

inline constexpr int kStages = 3;
inline constexpr int kGhosts = 2 * kStages;
/// Layers of ghosts that a stage computes, and that its velocities are needed for.
inline constexpr int kMargins[kStages] = {4, 2, 0};

/// Values of the faces in a stage's margin, each way, and one more row of them along the faces on
/// each side. Pointers address the lower face of cell (0, 0).
struct StageFaces {
  const double* x;
  std::ptrdiff_t x_stride;
  const double* y;
  std::ptrdiff_t y_stride;
  bool is_scaled;  ///< whether `scale` makes the values Courant numbers; else they are such
  double scale;
};

/// One patch and one component. Pointers address cell (0, 0).
struct Step {
  const double* before;
  std::ptrdiff_t before_stride;
  StageFaces faces[kStages];
  double* after;
  std::ptrdiff_t after_stride;
  flux_form::Fluxes* fluxes;  ///< filled for the faces of the patch's own cells: of the whole step
};

using Kernel = void (*)(const Step& step);

/// All three give the same bits: the arithmetic of a cell has one order, without fused
/// multiply-adds. About 40 flops a cell and stage, on 24², 20² and 16² cells.
void step_baseline(const Step& step);
void step_avx2(const Step& step);
void step_avx512(const Step& step);

}  // namespace kumiko::solvers::upwind3
