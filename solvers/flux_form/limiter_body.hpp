// Ends a step: adds up fluxes, by Zalesak's limiter or as they are. For kernels that are compiled
// for several instruction sets: all of it is private to the file that includes it.
#pragma once

#include <cstdint>

#include "rows.hpp"
#include "step.hpp"

namespace kumiko::solvers::flux_form {

namespace {

/// Layers of cells around the patch whose high-order fluxes the limiter asks for.
constexpr int kLimiterMargin = 1;

constexpr int kGridRow = static_cast<int>(Grid::kStride);
constexpr int kRow = whole_vectors(kCells + 1 + 2 * kLimiterMargin);

// Comparisons with NaN are false: each function then returns its second argument.
inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

/// What the cells of a row gain by fluxes.
struct Gains {
  const double* x;
  const double* south;
  const double* north;
  double operator()(int i) const { return (x[i] - x[i + 1]) + (south[i] - north[i]); }
};

inline Gains gains_of(const Fluxes& fluxes, int j) {
  return {fluxes.x.row(j), fluxes.y.row(j), fluxes.y.row(j + 1)};
}

/// after = base + what the fluxes bring; rows of `base` are `stride` apart.
inline void add_up(const double* base, std::ptrdiff_t stride, const Fluxes& fluxes,
                   const Step& step) {
  for (int j = 0; j < kCells; ++j) {
    const double* const u = base + j * stride;
    const Gains gain = gains_of(fluxes, j);
    double* const out = step.after + j * step.after_stride;
    KUMIKO_INDEPENDENT
    for (int i = 0; i < kCells; ++i) {
      const double value = u[i] + gain(i);
      out[i] = magnitude(value) < step.negligible ? 0.0 : value;
    }
  }
}

/// What the limiter works on. The low-order solution is the donor cell's: in a flow without
/// divergence its new values are means of old ones with weights >= 0 up to CFL number 1.
struct Limiter {
  Fluxes low;
  Grid solution;       ///< low-order
  Grid most;           ///< first the larger of old and low-order values, then the share R+
  Grid least;          ///< first the smaller of them, then the share R-
  Grid most_along_x;   ///< the most of three neighbours in a row
  Grid least_along_x;  ///< the least of them
};

/// Low-order fluxes and solution of the cells within two layers, and each cell's extrema.
inline void low_order(const Step& step, Limiter& limiter) {
  constexpr int kMargin = 2;
  constexpr int kEnd = kCells + kMargin;
  for (int j = -kMargin; j < kEnd; ++j) {
    const double* const u = step.before + j * step.before_stride - kMargin;
    donor_row<kGridRow>(u, step.before_stride, step.vy + j * step.vy_stride - kMargin,
                        limiter.low.y.row(j) - kMargin);
    donor_row<kGridRow>(u, 1, step.vx + j * step.vx_stride - kMargin,
                        limiter.low.x.row(j) - kMargin);
  }
  // With three ghost layers this row is the field's last one: nothing lies beyond its end.
  donor_row<whole_vectors(kCells + 2 * kMargin)>(
      step.before + kEnd * step.before_stride - kMargin, step.before_stride,
      step.vy + kEnd * step.vy_stride - kMargin, limiter.low.y.row(kEnd) - kMargin);
  for (int j = -kMargin; j < kCells + kMargin; ++j) {
    const double* const u = step.before + j * step.before_stride;
    const Gains gain = gains_of(limiter.low, j);
    double* const low = limiter.solution.row(j);
    double* const most = limiter.most.row(j);
    double* const least = limiter.least.row(j);
    KUMIKO_INDEPENDENT
    for (int i = -kMargin; i < kCells + kMargin; ++i) {
      low[i] = u[i] + gain(i);
      most[i] = larger(u[i], low[i]);
      least[i] = smaller(u[i], low[i]);
    }
  }
}

/// Turns high-order fluxes into what they differ by from the low-order ones.
inline void subtract_low(const Limiter& limiter, Fluxes& fluxes) {
  for (int j = -kLimiterMargin; j <= kCells + kLimiterMargin; ++j) {
    double* const x = fluxes.x.row(j);
    double* const y = fluxes.y.row(j);
    const double* const low_x = limiter.low.x.row(j);
    const double* const low_y = limiter.low.y.row(j);
    KUMIKO_INDEPENDENT
    for (int i = -1; i < kRow - 1; ++i) y[i] -= low_y[i];
    if (j == kCells + kLimiterMargin) break;
    KUMIKO_INDEPENDENT
    for (int i = -1; i < kRow - 1; ++i) x[i] -= low_x[i];
  }
}

/// The most or least of three neighbours in a row, of the cells within one layer along x and two
/// along y.
template <class Pick>
void extrema_along_x(const Grid& from, Grid& to, Pick pick) {
  for (int j = -2; j < kCells + 2; ++j) {
    const double* const u = from.row(j);
    double* __restrict const out = to.row(j);
    KUMIKO_INDEPENDENT
    for (int i = -1; i < kRow - 1; ++i) out[i] = pick(pick(u[i - 1], u[i]), u[i + 1]);
  }
}

/// The power of two that brings a number to 1 .. 2. By its bits, so that it is the same for all
/// processors; of 0 and of what is below the normal numbers the largest one.
inline double to_one(double x) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000;
  constexpr std::uint64_t kTwiceBias = std::uint64_t{2046} << 52;
  return __builtin_bit_cast(double,
                            kTwiceBias - (__builtin_bit_cast(std::uint64_t, x) & kExponent));
}

/// The shares of the inflow, R+, and of the outflow, R-, by antidiffusive fluxes that keep a cell
/// within the extrema of the nine cells around (Zalesak 1979, eqs. 10 to 13). One division serves
/// both, of sums that a power of two has brought to 1 .. 2: the field's unit does not matter, and
/// a sum that is 1e-150 of the other one or less is limited although it need not be.
inline void shares(const Fluxes& fluxes, Limiter& limiter) {
  constexpr double kTiny = 1e-150;
  for (int j = -1; j <= kCells; ++j) {
    const double* const x = fluxes.x.row(j);
    const double* const south = fluxes.y.row(j);
    const double* const north = fluxes.y.row(j + 1);
    const double* const low = limiter.solution.row(j);
    const double* const most = limiter.most_along_x.row(j);
    const double* const least = limiter.least_along_x.row(j);
    double* __restrict const gain = limiter.most.row(j);
    double* __restrict const loss = limiter.least.row(j);
    constexpr std::ptrdiff_t kUp = Grid::kStride;
    KUMIKO_INDEPENDENT
    for (int i = -1; i < kRow - 1; ++i) {
      const double highest = larger(larger(most[i - kUp], most[i]), most[i + kUp]);
      const double lowest = smaller(smaller(least[i - kUp], least[i]), least[i + kUp]);
      const double inflow = (larger(x[i], 0.0) - smaller(x[i + 1], 0.0)) +
                            (larger(south[i], 0.0) - smaller(north[i], 0.0));
      const double outflow = (larger(x[i + 1], 0.0) - smaller(x[i], 0.0)) +
                             (larger(north[i], 0.0) - smaller(south[i], 0.0));
      const double scale = to_one(inflow + outflow);
      const double in = inflow * scale + kTiny;
      const double out = outflow * scale + kTiny;
      const double inverse = 1.0 / (in * out);
      gain[i] = smaller((highest - low[i]) * scale * (out * inverse), 1.0);
      loss[i] = smaller((low[i] - lowest) * scale * (in * inverse), 1.0);
    }
  }
}

/// Scales a row of antidiffusive fluxes by what both cells allow (eq. 14) and adds the low-order
/// ones. \param back  from a cell's share to that of the cell below the face
inline void limit_row(const double* gain, const double* loss, std::ptrdiff_t back,
                      const double* low, int count, double* flux) {
  KUMIKO_INDEPENDENT
  for (int i = 0; i < count; ++i) {
    const double up = smaller(gain[i], loss[i - back]);
    const double down = smaller(loss[i], gain[i - back]);
    flux[i] = low[i] + (flux[i] >= 0.0 ? up : down) * flux[i];
  }
}

/// Limits the fluxes of the cells within kLimiterMargin layers and ends the step.
inline void limit_and_add_up(const Step& step) {
  Fluxes& fluxes = *step.fluxes;
  Limiter limiter;
  low_order(step, limiter);
  subtract_low(limiter, fluxes);
  extrema_along_x(limiter.most, limiter.most_along_x, larger);
  extrema_along_x(limiter.least, limiter.least_along_x, smaller);
  shares(fluxes, limiter);
  for (int j = 0; j <= kCells; ++j) {
    const double* const gain = limiter.most.row(j);
    const double* const loss = limiter.least.row(j);
    limit_row(gain, loss, Grid::kStride, limiter.low.y.row(j), kCells, fluxes.y.row(j));
    if (j == kCells) break;
    limit_row(gain, loss, 1, limiter.low.x.row(j), kRow, fluxes.x.row(j));
  }
  add_up(step.before, step.before_stride, fluxes, step);
}

/// Whether every cell that a step may read is 0: nothing flows then.
inline bool all_zero(const Step& step, int ghosts) {
  std::uint64_t bits = 0;
  for (int j = -ghosts; j < kCells + ghosts; ++j) {
    const double* const u = step.before + j * step.before_stride;
    KUMIKO_INDEPENDENT
    for (int i = -ghosts; i < kCells + ghosts; ++i)
      bits |= __builtin_bit_cast(std::uint64_t, u[i]) << 1;
    if (bits != 0) return false;
  }
  return true;
}

/// The step of a patch that is 0 with its surroundings.
inline void stay_zero(const Step& step) {
  for (int j = 0; j <= kCells; ++j) {
    KUMIKO_INDEPENDENT
    for (int i = 0; i <= kCells; ++i) {
      step.fluxes->x.row(j)[i] = 0.0;
      step.fluxes->y.row(j)[i] = 0.0;
    }
  }
  for (int j = 0; j < kCells; ++j) {
    KUMIKO_INDEPENDENT
    for (int i = 0; i < kCells; ++i) step.after[j * step.after_stride + i] = 0.0;
  }
}

}  // namespace

}  // namespace kumiko::solvers::flux_form
