// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include <cstdint>

#include "elementary.hpp"
#include "half_steps.hpp"
#include "kernel.hpp"
#include "limiter_body.hpp"
#include "rows.hpp"

namespace kumiko::solvers::thinc {

namespace {

using namespace flux_form;

/// A cell as near as this to one of the two values, in halves of their difference, is not cut.
constexpr double kBulk = 2e-6;
/// The least steepness: below, a profile is as good as flat.
constexpr double kLeastSteepness = 0.05;

/// The faces of one axis whose upwind cell an interface cuts, gathered so that they fill vectors.
struct Cuts {
  static constexpr int kMost = 20 * 20;
  int count = 0;
  double* flux[kMost];
  double v[kMost];       ///< the face's Courant number
  double value[kMost];   ///< of the upwind cell, -1 .. 1 from one value to the other
  double rise[kMost];    ///< 1 where values grow along the flow, else -1
  double normal[kMost];  ///< gradient across the face, any unit
  double along[kMost];   ///< gradient along it
};

/// What is needed to gather the cut cells of one axis.
struct Axis {
  const double* u;        ///< before the step: cell (0, 0)
  std::ptrdiff_t across;  ///< in u, from a cell to the next across the face
  std::ptrdiff_t along;   ///< in u, from a cell to the next along the face
  std::ptrdiff_t step;    ///< across the face in the half-stepped values
};

/// Gathers one face. \param upwind  the upwind cell in u
inline void gather(const double* upwind, const Axis& axis, double v, double value, double rise,
                   double* flux, Cuts& cuts) {
  const std::ptrdiff_t a = axis.across;
  const std::ptrdiff_t b = axis.along;
  const int at = cuts.count++;
  cuts.flux[at] = flux;
  cuts.v[at] = v;
  cuts.value[at] = value;
  cuts.rise[at] = rise;
  cuts.normal[at] = ((upwind[a + b] - upwind[b - a]) + (upwind[a - b] - upwind[-a - b])) +
                    2.0 * (upwind[a] - upwind[-a]);
  cuts.along[at] = ((upwind[a + b] - upwind[a - b]) + (upwind[b - a] - upwind[-a - b])) +
                   2.0 * (upwind[b] - upwind[-b]);
}

/// Donor-cell fluxes of a row of faces, and the cut ones gathered.
/// \param half   half-stepped values of the cells above the faces
/// \param above  the same cells in u
template <int Count>
void flux_row(const double* half, const double* above, const Axis& axis, const double* v,
              int needed, const Profile& profile, double* __restrict flux, Cuts& cuts) {
  double value[Count];
  double rise[Count];
  std::uint64_t cut[Count];
  const std::ptrdiff_t step = axis.step;
  const double scale = 1.0 / profile.half;
  std::uint64_t any = 0;
  KUMIKO_INDEPENDENT
  for (int i = 0; i < Count; ++i) {
    const double farther_below = half[i - 2 * step];
    const double below = half[i - step];
    const double over = half[i];
    const double farther_over = half[i + step];
    const bool up = v[i] >= 0.0;
    const double middle = up ? below : over;
    const double behind = up ? farther_below : farther_over;
    const double ahead = up ? over : below;
    flux[i] = v[i] * middle;
    value[i] = (middle - profile.middle) * scale;
    rise[i] = ahead > behind ? 1.0 : -1.0;
    const std::uint64_t mixed = magnitude(value[i]) < 1.0 - kBulk ? 1 : 0;
    const std::uint64_t monotone = (ahead - middle) * (middle - behind) > 0.0 ? mixed : 0;
    cut[i] = v[i] == 0.0 ? 0 : monotone;
    any |= cut[i];
  }
  if (any == 0) return;
  for (int i = 0; i < needed; ++i) {
    if (cut[i] == 0) continue;
    const double* const upwind = above + i - (v[i] >= 0.0 ? axis.across : 0);
    gather(upwind, axis, v[i], value[i], rise[i], flux + i, cuts);
  }
}

/// What flows out of cut cells: the integral over the swept length c of the profile
/// tanh(b (x - d)) whose mean over the cell is the cell's value m,
///   m - ln((sinh bc + e^(bm) sinh b(1-c)) / sinh b) / b,
/// for a profile that rises along the flow, and mirrored where it falls. The steepness b is the
/// share of the normal across the face (THINC/SW, Xiao, Ii & Chen 2011). Not inlined: four callers
/// share the code.
[[gnu::noinline]] void cut_fluxes(const Profile& profile, Cuts& cuts) {
  double result[Cuts::kMost];
  const int count = whole_vectors(cuts.count);
  for (int at = cuts.count; at < count; ++at) {
    cuts.v[at] = cuts.value[at] = cuts.normal[at] = cuts.along[at] = 0.5;
    cuts.rise[at] = 1.0;
  }
  KUMIKO_INDEPENDENT
  for (int at = 0; at < count; ++at) {
    const double v = cuts.v[at];
    const double c = magnitude(v);
    const double across = cuts.normal[at] * cuts.normal[at];
    const double along = cuts.along[at] * cuts.along[at];
    const double steep = profile.beta * __builtin_sqrt(across / ((across + along) + 1e-300));
    const double b = steep > kLeastSteepness ? steep : kLeastSteepness;
    const double m = cuts.rise[at] * cuts.value[at];
    const double whole = exponential(b);
    const double swept = exponential(b * c);
    const double inverse = 1.0 / (whole * swept);
    const double sinh_whole = whole - swept * inverse;
    const double sinh_swept = swept - whole * inverse;
    const double sinh_rest = whole * whole * inverse - swept * swept * inverse;
    const double ratio = (sinh_swept + sinh_rest * exponential(b * m)) / sinh_whole;
    const double integral = cuts.rise[at] * (m - logarithm(ratio) / b);
    const double flux = c * profile.middle + profile.half * integral;
    result[at] = v >= 0.0 ? flux : -flux;
  }
  for (int at = 0; at < cuts.count; ++at) *cuts.flux[at] = result[at];
}

/// The fluxes normal to x of the cells within `Margin` layers, of u + g(u)/2, where g is the change
/// by the donor cell's flow along y in advective form.
template <int Margin>
void fluxes_x(const Step& step, const Profile& profile, Grid& flux, Cuts& cuts) {
  constexpr int kReach = Margin + 2;
  constexpr int kWidth = whole_vectors(kCells + 2 * kReach);
  constexpr int kNeeded = kCells + 1 + 2 * Margin;
  Rectangle<kWidth, kCells + 2 * Margin> half;
  half_steps_along_y<kReach, Margin>(step, donor_row<kWidth>, half);
  cuts.count = 0;
  const Axis axis{step.before, 1, step.before_stride, 1};
  for (int j = -Margin; j < kCells + Margin; ++j) {
    flux_row<whole_vectors(kNeeded)>(
        half.row(j + Margin) + kReach - Margin, step.before + j * step.before_stride - Margin, axis,
        step.vx + j * step.vx_stride - Margin, kNeeded, profile, flux.row(j) - Margin, cuts);
  }
  cut_fluxes(profile, cuts);
}

/// Does for the faces normal to y what the function above does for those normal to x.
template <int Margin>
void fluxes_y(const Step& step, const Profile& profile, Grid& flux, Cuts& cuts) {
  constexpr int kReach = Margin + 2;
  constexpr int kWidth = whole_vectors(kCells + 1 + 2 * Margin);
  constexpr int kNeeded = kCells + 2 * Margin;
  Rectangle<kWidth, kCells + 2 * kReach> half;
  half_steps_along_x<Margin, kReach>(step, donor_row<kWidth>, half);
  cuts.count = 0;
  const Axis axis{step.before, step.before_stride, 1, kWidth};
  for (int j = -Margin; j <= kCells + Margin; ++j) {
    flux_row<whole_vectors(kNeeded)>(
        half.row(j + kReach), step.before + j * step.before_stride - Margin, axis,
        step.vy + j * step.vy_stride - Margin, kNeeded, profile, flux.row(j) - Margin, cuts);
  }
  cut_fluxes(profile, cuts);
}

template <int Margin>
void fluxes(const Step& step, const Profile& profile) {
  Cuts cuts;
  fluxes_x<Margin>(step, profile, step.fluxes->x, cuts);
  fluxes_y<Margin>(step, profile, step.fluxes->y, cuts);
}

}  // namespace

void KUMIKO_KERNEL_NAME(const Step& step, const Profile& profile, bool limited) {
  if (all_zero(step, kGhosts)) return stay_zero(step);
  if (limited) {
    fluxes<kLimiterMargin>(step, profile);
    return limit_and_add_up(step);
  }
  fluxes<0>(step, profile);
  add_up(step.before, step.before_stride, *step.fluxes, step);
}

}  // namespace kumiko::solvers::thinc
