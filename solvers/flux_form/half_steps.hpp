// Half steps by the flow along one axis, which precede the fluxes along the other one (Lin & Rood
// 1996). All of it is private to the file that includes it.
#pragma once

#include "rows.hpp"
#include "step.hpp"

namespace kumiko::solvers::flux_form {

namespace {

/// Fills rows with u + g(u)/2, where g is the change by the flow along y in advective form: of the
/// cells from (-MarginX, -MarginY) on.
/// \param flux_row  (u, step, v, flux): fluxes of a row of faces, of as many as a row has
template <int MarginX, int MarginY, int Width, int Rows, class FluxRow>
void half_steps_along_y(const Step& step, FluxRow flux_row, Rectangle<Width, Rows>& half) {
  const double* const before = step.before - MarginY * step.before_stride - MarginX;
  const double* const vy = step.vy - MarginY * step.vy_stride - MarginX;
  Rectangle<Width, Rows + 1> across;
  for (int j = 0; j <= Rows; ++j) {
    flux_row(before + j * step.before_stride, step.before_stride, vy + j * step.vy_stride,
             across.row(j));
  }
  for (int j = 0; j < Rows; ++j) {
    const double* const south = vy + j * step.vy_stride;
    half_row<Width>(before + j * step.before_stride, across.row(j), across.row(j + 1), south,
                    south + step.vy_stride, half.row(j));
  }
}

/// Does for the flow along x what the function above does for that along y.
template <int MarginX, int MarginY, int Width, int Rows, class FluxRow>
void half_steps_along_x(const Step& step, FluxRow flux_row, Rectangle<Width, Rows>& half) {
  const double* const before = step.before - MarginY * step.before_stride - MarginX;
  const double* const vx = step.vx - MarginY * step.vx_stride - MarginX;
  Rectangle<Width, Rows> across;
  across.row(Rows)[0] = 0.0;
  for (int j = 0; j < Rows; ++j) {
    flux_row(before + j * step.before_stride, 1, vx + j * step.vx_stride, across.row(j));
  }
  for (int j = 0; j < Rows; ++j) {
    const double* const west = vx + j * step.vx_stride;
    half_row<Width>(before + j * step.before_stride, across.row(j), across.row(j) + 1, west,
                    west + 1, half.row(j));
  }
}

}  // namespace

}  // namespace kumiko::solvers::flux_form
