// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include "kernel.hpp"
#include "limiter_body.hpp"
#include "upwind_mean.hpp"

namespace kumiko::solvers::fct {

namespace {

using flux_form::Fluxes;
using flux_form::Grid;
using flux_form::kCells;
using flux_form::Step;
using flux_form::upwind_mean;

/// Order of the fluxes of the half steps across. Their error counts twice the Courant number: one
/// order less than that of the step suffices, and more was measured to gain next to nothing.
constexpr int kInnerOrder = 3;

inline double magnitude(double v) { return v >= 0.0 ? v : -v; }

/// Swept fluxes of a row of faces i0 .. i1 - 1.
template <int Order>
void flux_row(const double* u, std::ptrdiff_t step, const double* v, int i0, int i1,
              double* __restrict flux) {
  for (int i = i0; i < i1; ++i) {
    flux[i] = v[i] * upwind_mean<Order>(u + i, step, v[i], magnitude(v[i]));
  }
}

/// The fluxes normal to x of the cells within `Margin` layers, of u + g(u)/2, where g is the change
/// by the flow along y in advective form.
template <int Order, int Margin>
void fluxes_x(const Step& step, Grid& flux) {
  constexpr int kReach = Margin + (Order + 1) / 2;
  constexpr int kWidth = kCells + 2 * kReach;
  double rows[2][kWidth];
  double half[kWidth];
  const auto along_y = [&](int j, double* row) {
    flux_row<kInnerOrder>(step.before + j * step.before_stride - kReach, step.before_stride,
                          step.vy + j * step.vy_stride - kReach, 0, kWidth, row);
  };
  along_y(-Margin, rows[0]);
  for (int j = -Margin; j < kCells + Margin; ++j) {
    const double* const south = rows[(j + Margin) % 2];
    double* const north = rows[(j + Margin + 1) % 2];
    along_y(j + 1, north);
    const double* const u = step.before + j * step.before_stride - kReach;
    const double* const v = step.vy + j * step.vy_stride - kReach;
    for (int i = 0; i < kWidth; ++i) {
      half[i] = u[i] + 0.5 * ((south[i] - north[i]) + u[i] * (v[i + step.vy_stride] - v[i]));
    }
    flux_row<Order>(half + kReach, 1, step.vx + j * step.vx_stride, -Margin, kCells + Margin + 1,
                    flux.row(j));
  }
}

/// The same, axes exchanged.
template <int Order, int Margin>
void fluxes_y(const Step& step, Grid& flux) {
  constexpr int kReach = Margin + (Order + 1) / 2;
  constexpr int kWidth = kCells + 2 * Margin;
  constexpr std::ptrdiff_t kStride = kCells + 8;
  double half[(kCells + 2 * kReach) * kStride];
  double row[kWidth + 1];
  for (int j = -kReach; j < kCells + kReach; ++j) {
    const double* const u = step.before + j * step.before_stride - Margin;
    const double* const v = step.vx + j * step.vx_stride - Margin;
    flux_row<kInnerOrder>(u, 1, v, 0, kWidth + 1, row);
    double* const out = half + (j + kReach) * kStride;
    for (int i = 0; i < kWidth; ++i) {
      out[i] = u[i] + 0.5 * ((row[i] - row[i + 1]) + u[i] * (v[i + 1] - v[i]));
    }
  }
  for (int j = -Margin; j <= kCells + Margin; ++j) {
    flux_row<Order>(half + (j + kReach) * kStride, kStride, step.vy + j * step.vy_stride - Margin,
                    0, kWidth, flux.row(j) - Margin);
  }
}

template <int Order>
void advance(const Step& step, bool limited) {
  if (limited) {
    fluxes_x<Order, flux_form::kLimiterMargin>(step, step.fluxes->x);
    fluxes_y<Order, flux_form::kLimiterMargin>(step, step.fluxes->y);
    return flux_form::limit_and_add_up(step);
  }
  fluxes_x<Order, 0>(step, step.fluxes->x);
  fluxes_y<Order, 0>(step, step.fluxes->y);
  flux_form::add_up(step.before, step.before_stride, *step.fluxes, step);
}

}  // namespace

void KUMIKO_KERNEL_NAME(const Step& step, int order, bool limited) {
  if (flux_form::all_zero(step, ghosts(order))) return flux_form::stay_zero(step);
  switch (order) {
    case 3:
      return advance<3>(step, limited);
    case 5:
      return advance<5>(step, limited);
    case 7:
      return advance<7>(step, limited);
    default:
      return advance<9>(step, limited);
  }
}

}  // namespace kumiko::solvers::fct
