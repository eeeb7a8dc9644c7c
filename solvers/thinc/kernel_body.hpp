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

// Each of the limits below fades the profile out, so that the flux is continuous in all that it
// depends on and round-off cannot switch between two of them.

/// A cell as near as this to one of the two values, in halves of their difference, is not cut; the
/// profile counts in full from twice as far on.
constexpr double kBulk = 2e-6;
/// The profile counts in full where the smaller difference to the two neighbours is this share of
/// the cell's own distance to the nearer of the two values. Below, the square of the ratio counts,
/// so that the donor cell outweighs it and round-off in a level field does not grow.
constexpr double kFullSlope = 0.05;
/// Where the gradient, times 8 and in halves of the difference, is about this or less, there is no
/// telling which way the interface lies: the steepness falls to 0 with it. Across an interface it
/// is 2 to 8.
constexpr double kLevel = 8e-3;
/// The least steepness that is computed with. Of a flatter profile the share steepness ÷ this
/// counts: what a profile differs by from the donor cell is proportional to a small steepness.
constexpr double kLeastSteepness = 0.05;

/// The faces of one axis whose upwind cell an interface cuts, gathered so that they fill vectors.
struct Cuts {
  static constexpr int kMost = 20 * 20;
  int count = 0;
  double* flux[kMost];
  double v[kMost];       ///< the face's Courant number
  double value[kMost];   ///< of the upwind cell, -1 .. 1 from one value to the other
  double rise[kMost];    ///< 1 where values grow along the flow, else -1
  double slope[kMost];   ///< the smaller difference to the neighbours across the face, > 0
  double normal[kMost];  ///< gradient across the face; times 8, as all in halves of the difference
  double along[kMost];   ///< gradient along it
};

/// What is needed to gather the cut cells of one axis.
struct Axis {
  std::ptrdiff_t across;  ///< in u, from a cell to the next across the face
  std::ptrdiff_t along;   ///< in u, from a cell to the next along the face
  std::ptrdiff_t step;    ///< across the face in the half-stepped values
  double scale;           ///< 1 ÷ half of the difference between the two values
};

/// The gradient over the nine cells around, times 8.
/// \param a, b  from a cell to the next along the gradient's axis, and along the other one
inline double gradient(const double* u, std::ptrdiff_t a, std::ptrdiff_t b) {
  return ((u[a + b] - u[b - a]) + (u[a - b] - u[-a - b])) + 2.0 * (u[a] - u[-a]);
}

/// The three cells of the half step that a face's flux depends on.
struct Upwind {
  double middle;  ///< the upwind cell
  double behind;  ///< upwind of it
  double ahead;   ///< beyond the face
};

/// \param half  the cell above the face; \param step  from a cell to the next across it
inline Upwind upwind_of(const double* half, std::ptrdiff_t step, double v) {
  const double farther_below = half[-2 * step];
  const double below = half[-step];
  const double over = half[0];
  const double farther_over = half[step];
  const bool up = v >= 0.0;
  return {up ? below : over, up ? farther_below : farther_over, up ? over : below};
}

/// Donor-cell fluxes of a row of faces, and the cut ones gathered.
/// \param half   half-stepped values of the cells above the faces
/// \param above  the same cells in u
template <int Count>
void flux_row(const double* half, const double* above, const Axis& axis, const double* v,
              int needed, const Profile& profile, double* __restrict flux, Cuts& cuts) {
  std::uint64_t cut[Count];
  std::uint64_t any = 0;
  KUMIKO_INDEPENDENT
  for (int i = 0; i < Count; ++i) {
    const Upwind cells = upwind_of(half + i, axis.step, v[i]);
    flux[i] = v[i] * cells.middle;
    const double value = magnitude(cells.middle - profile.middle) * axis.scale;
    const std::uint64_t mixed = value < 1.0 - kBulk ? 1 : 0;
    // In halves of the difference: the product would vanish in a small unit.
    const double forward = (cells.ahead - cells.middle) * axis.scale;
    const double backward = (cells.middle - cells.behind) * axis.scale;
    const std::uint64_t monotone = forward * backward > 0.0 ? mixed : 0;
    cut[i] = v[i] == 0.0 ? 0 : monotone;
    any |= cut[i];
  }
  if (any == 0) return;
  for (int i = 0; i < needed; ++i) {
    if (cut[i] == 0) continue;
    const Upwind cells = upwind_of(half + i, axis.step, v[i]);
    const double forward = magnitude(cells.ahead - cells.middle);
    const double backward = magnitude(cells.middle - cells.behind);
    const double* const upwind = above + i - (v[i] >= 0.0 ? axis.across : 0);
    const int at = cuts.count++;
    cuts.flux[at] = flux + i;
    cuts.v[at] = v[i];
    cuts.value[at] = (cells.middle - profile.middle) * axis.scale;
    cuts.rise[at] = cells.ahead > cells.behind ? 1.0 : -1.0;
    cuts.slope[at] = smaller(forward, backward) * axis.scale;
    cuts.normal[at] = gradient(upwind, axis.across, axis.along) * axis.scale;
    cuts.along[at] = gradient(upwind, axis.along, axis.across) * axis.scale;
  }
}

/// What flows out of cut cells: the integral over the swept length c of the profile
/// tanh(b (x - d)) whose mean over the cell is the cell's value m,
///   m - ln((sinh bc + e^(bm) sinh b(1-c)) / sinh b) / b,
/// for a profile that rises along the flow, and mirrored where it falls. The steepness b is the
/// share of the normal across the face (THINC/SW, Xiao, Ii & Chen 2011). Where the profile fades
/// out, the rest is the donor cell's flux, which is there already. Not inlined: four callers share
/// the code.
[[gnu::noinline]] void cut_fluxes(const Profile& profile, Cuts& cuts) {
  double result[Cuts::kMost];
  double share[Cuts::kMost];
  const int count = whole_vectors(cuts.count);
  for (int at = cuts.count; at < count; ++at) {
    cuts.v[at] = cuts.value[at] = cuts.slope[at] = cuts.normal[at] = cuts.along[at] = 0.5;
    cuts.rise[at] = 1.0;
  }
  KUMIKO_INDEPENDENT
  for (int at = 0; at < count; ++at) {
    const double v = cuts.v[at];
    const double c = magnitude(v);
    const double across = cuts.normal[at] * cuts.normal[at];
    const double along = cuts.along[at] * cuts.along[at];
    const double steep =
        profile.beta * __builtin_sqrt(across / ((across + along) + kLevel * kLevel));
    const double b = steep > kLeastSteepness ? steep : kLeastSteepness;
    const double m = cuts.rise[at] * cuts.value[at];
    const double whole = exponential(b);
    const double swept = exponential(b * c);
    const double inverse = 1.0 / (whole * swept);
    const double sinh_whole = whole - swept * inverse;
    const double sinh_swept = swept - whole * inverse;
    const double sinh_rest = whole * whole * inverse - swept * swept * inverse;
    // One division serves the ratio of sines and that of slopes.
    const double to_bulk = 1.0 - magnitude(m);
    const double full_slope = kFullSlope * to_bulk;
    const double both = 1.0 / (sinh_whole * full_slope);
    const double ratio = (sinh_swept + sinh_rest * exponential(b * m)) * (full_slope * both);
    const double integral = cuts.rise[at] * (m - logarithm(ratio) / b);
    const double flux = c * profile.middle + profile.half * integral;
    result[at] = v >= 0.0 ? flux : -flux;
    const double by_bulk = smaller((to_bulk - kBulk) * (1.0 / kBulk), 1.0);
    const double by_slope = smaller(cuts.slope[at] * (sinh_whole * both), 1.0);
    const double by_steepness = smaller(steep * (1.0 / kLeastSteepness), 1.0);
    share[at] = by_bulk * (by_slope * by_slope) * by_steepness;
  }
  for (int at = 0; at < cuts.count; ++at) {
    double& flux = *cuts.flux[at];
    flux += share[at] * (result[at] - flux);
  }
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
  const Axis axis{1, step.before_stride, 1, 1.0 / profile.half};
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
  const Axis axis{step.before_stride, 1, kWidth, 1.0 / profile.half};
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
