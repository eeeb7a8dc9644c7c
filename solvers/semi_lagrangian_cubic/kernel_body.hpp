// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include <kumiko/amr/cubic_weights.hpp>

#include "kernel.hpp"
#include "quintic_weights.hpp"

namespace kumiko::solvers::cubic {

namespace {

constexpr int kSize = 16;

/// Interpolation along a line of kPoints values, the departure cell's two in their middle.
struct Cubic {
  static constexpr int kPoints = 4;
  using Weights = amr::CubicWeights;
  static Weights weights(double f) { return amr::cubic_weights(f); }
  /// \param u  the cell's lower value
  static double value(const Weights& w, const double* u) {
    return amr::combine(w, u[-1], u[0], u[1], u[2]);
  }
};

struct Quintic {
  static constexpr int kPoints = 6;
  using Weights = QuinticWeights;
  static Weights weights(double f) { return quintic_weights(f); }
  static double value(const Weights& w, const double* u) { return combine(w, u); }
};

inline double lesser(double a, double b) { return a < b ? a : b; }
inline double greater(double a, double b) { return a > b ? a : b; }

/// The value, no less than the least and no more than the largest of a cell's corners. A value that
/// is not a number compares false with both, and stays: it is one whenever a corner is.
/// \param u  the cell's lower left corner
inline double clip(double value, const double* u, std::ptrdiff_t stride) {
  const double least = lesser(lesser(u[0], u[1]), lesser(u[stride], u[stride + 1]));
  const double largest = greater(greater(u[0], u[1]), greater(u[stride], u[stride + 1]));
  const double raised = value < least ? least : value;
  return raised > largest ? largest : raised;
}

/// Departure cells the same for all points: OffsetX, OffsetY in {-1, 0} are their lower corners
/// relative to the point.
template <class Scheme, bool Clip, int OffsetX, int OffsetY>
void advance_uniform(const KernelArguments& p) {
  constexpr int kBelow = Scheme::kPoints / 2 - 1;
  const std::ptrdiff_t stride = p.stride;
  for (int j = 0; j < kSize; ++j) {
    const double* __restrict u = p.before + (j + OffsetY) * stride + OffsetX;
    const double* __restrict cx = p.cx + j * kSize;
    const double* __restrict cy = p.cy + j * kSize;
    double* __restrict out = p.after + j * stride;
    for (int i = 0; i < kSize; ++i) {
      const auto wx = Scheme::weights(cx[i] - OffsetX);
      const auto wy = Scheme::weights(cy[i] - OffsetY);
      double rows[Scheme::kPoints];
#pragma GCC unroll 8
      for (int m = 0; m < Scheme::kPoints; ++m) {
        rows[m] = Scheme::value(wx, u + i + (m - kBelow) * stride);
      }
      const double value = Scheme::value(wy, rows + kBelow);
      out[i] = Clip ? clip(value, u + i, stride) : value;
    }
  }
}

/// Copies Count values, from the first on or from the second.
template <int Count>
inline void choose(bool first, const double* from, double* to) {
  double all[Count + 1];  // read whatever is chosen: AVX-512 then has vectors of points
#pragma GCC unroll 8
  for (int n = 0; n < Count + 1; ++n) all[n] = from[n];
#pragma GCC unroll 8
  for (int n = 0; n < Count; ++n) to[n] = first ? all[n] : all[n + 1];
}

/// Departure cells that differ: every point selects its columns and rows among one more.
template <class Scheme, bool Clip>
void advance_mixed(const KernelArguments& p) {
  constexpr int kPoints = Scheme::kPoints;
  constexpr int kBelow = kPoints / 2 - 1;
  const std::ptrdiff_t stride = p.stride;
  for (int j = 0; j < kSize; ++j) {
    const double* __restrict u = p.before + (j - kPoints / 2) * stride - kPoints / 2;
    const double* __restrict cx = p.cx + j * kSize;
    const double* __restrict cy = p.cy + j * kSize;
    double* __restrict out = p.after + j * stride;
    for (int i = 0; i < kSize; ++i) {
      const bool left = cx[i] < 0.0;
      const bool below = cy[i] < 0.0;
      const auto wx = Scheme::weights(cx[i] - (left ? -1.0 : 0.0));
      const auto wy = Scheme::weights(cy[i] - (below ? -1.0 : 0.0));
      double rows[kPoints + 1];
      double west[kPoints + 1];  // the departure cell's columns, for clipping
      double east[kPoints + 1];
#pragma GCC unroll 8
      for (int m = 0; m < kPoints + 1; ++m) {
        double line[kPoints];
        choose<kPoints>(left, u + i + m * stride, line);
        rows[m] = Scheme::value(wx, line + kBelow);
        west[m] = line[kBelow];
        east[m] = line[kBelow + 1];
      }
      double line[kPoints];
      choose<kPoints>(below, rows, line);
      const double value = Scheme::value(wy, line + kBelow);
      double columns[4];
      choose<2>(below, west + kBelow, columns);
      choose<2>(below, east + kBelow, columns + 2);
      out[i] = Clip ? clip(value, columns, 2) : value;
    }
  }
}

template <class Scheme, bool Clip>
void advance(const KernelArguments& p) {
  if (p.upwind_x == Upwind::kMixed || p.upwind_y == Upwind::kMixed) {
    return advance_mixed<Scheme, Clip>(p);
  }
  const bool left = p.upwind_x == Upwind::kBelow;
  const bool below = p.upwind_y == Upwind::kBelow;
  if (below) {
    return left ? advance_uniform<Scheme, Clip, -1, -1>(p)
                : advance_uniform<Scheme, Clip, 0, -1>(p);
  }
  return left ? advance_uniform<Scheme, Clip, -1, 0>(p) : advance_uniform<Scheme, Clip, 0, 0>(p);
}

}  // namespace

void KUMIKO_KERNEL_NAME(const KernelArguments& p) {
  const bool clip = p.monotone == Monotone::kQuasi;
  if (p.interpolation == Interpolation::kQuintic) {
    return clip ? advance<Quintic, true>(p) : advance<Quintic, false>(p);
  }
  return clip ? advance<Cubic, true>(p) : advance<Cubic, false>(p);
}

}  // namespace kumiko::solvers::cubic
