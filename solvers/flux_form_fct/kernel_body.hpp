// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include "half_steps.hpp"
#include "kernel.hpp"
#include "limiter_body.hpp"
#include "rows.hpp"
#include "upwind_mean.hpp"

namespace kumiko::solvers::fct {

namespace {

using namespace flux_form;

/// Order of the fluxes of the half steps across. Their error counts twice the Courant number: one
/// order less than that of the step suffices, and more was measured to gain next to nothing.
constexpr int kInnerOrder = 3;

/// Swept fluxes of a row of faces.
template <int Order, int Count>
void flux_row(const double* u, std::ptrdiff_t step, const double* v, double* __restrict flux) {
  KUMIKO_INDEPENDENT
  for (int i = 0; i < Count; ++i) {
    flux[i] = v[i] * upwind_mean<Order>(u + i, step, v[i], magnitude(v[i]));
  }
}

/// The fluxes normal to x of the cells within `Margin` layers, of u + g(u)/2, where g is the change
/// by the flow along y in advective form.
template <int Order, int Margin>
void fluxes_x(const Step& step, Grid& flux) {
  constexpr int kReach = Margin + (Order + 1) / 2;
  constexpr int kWidth = whole_vectors(kCells + 2 * kReach);
  constexpr int kFaces = whole_vectors(kCells + 1 + 2 * Margin);
  constexpr int kRows = kCells + 2 * Margin;
  Rectangle<kWidth, kRows> half;
  half.row(kRows)[0] = half.row(kRows)[1] = half.row(kRows)[2] = half.row(kRows)[3] = 0.0;
  half_steps_along_y<kReach, Margin>(step, flux_row<kInnerOrder, kWidth>, half);
  for (int j = 0; j < kRows; ++j) {
    flux_row<Order, kFaces>(half.row(j) + kReach - Margin, 1,
                            step.vx + (j - Margin) * step.vx_stride - Margin,
                            flux.row(j - Margin) - Margin);
  }
}

/// Does for the faces normal to y what the function above does for those normal to x.
template <int Order, int Margin>
void fluxes_y(const Step& step, Grid& flux) {
  constexpr int kReach = Margin + (Order + 1) / 2;
  constexpr int kWidth = whole_vectors(kCells + 1 + 2 * Margin);
  Rectangle<kWidth, kCells + 2 * kReach> half;
  half_steps_along_x<Margin, kReach>(step, flux_row<kInnerOrder, kWidth>, half);
  for (int j = -Margin; j <= kCells + Margin; ++j) {
    flux_row<Order, kWidth>(half.row(j + kReach), kWidth, step.vy + j * step.vy_stride - Margin,
                            flux.row(j) - Margin);
  }
}

template <int Order>
void advance(const Step& step, bool limited) {
  if (limited) {
    fluxes_x<Order, kLimiterMargin>(step, step.fluxes->x);
    fluxes_y<Order, kLimiterMargin>(step, step.fluxes->y);
    return limit_and_add_up(step);
  }
  fluxes_x<Order, 0>(step, step.fluxes->x);
  fluxes_y<Order, 0>(step, step.fluxes->y);
  add_up(step.before, step.before_stride, *step.fluxes, step);
}

}  // namespace

void KUMIKO_KERNEL_NAME(const Step& step, int order, bool limited) {
  if (all_zero(step, ghosts(order))) return stay_zero(step);
  if (order == 3) return advance<3>(step, limited);
  if (order == 5) return advance<5>(step, limited);
  if (order == 7) return advance<7>(step, limited);
  advance<9>(step, limited);
}

}  // namespace kumiko::solvers::fct
