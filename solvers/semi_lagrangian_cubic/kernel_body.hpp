// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include <kumiko/amr/cubic_weights.hpp>

#include "kernel.hpp"

namespace kumiko::solvers::cubic {

namespace {

using amr::combine;
using amr::cubic_weights;
using amr::CubicWeights;

constexpr int kSize = 16;

inline double along_x(const CubicWeights& w, const double* u) {
  return combine(w, u[-1], u[0], u[1], u[2]);
}

/// Departure cells the same for all points: OffsetX, OffsetY in {-1, 0} are their lower corners
/// relative to the point.
template <int OffsetX, int OffsetY>
void advance_uniform(const KernelArguments& p) {
  const std::ptrdiff_t stride = p.stride;
  for (int j = 0; j < kSize; ++j) {
    const double* __restrict u = p.before + (j + OffsetY) * stride + OffsetX;
    const double* __restrict cx = p.cx + j * kSize;
    const double* __restrict cy = p.cy + j * kSize;
    double* __restrict out = p.after + j * stride;
    for (int i = 0; i < kSize; ++i) {
      const CubicWeights wx = cubic_weights(cx[i] - OffsetX);
      const CubicWeights wy = cubic_weights(cy[i] - OffsetY);
      out[i] = combine(wy, along_x(wx, u + i - stride), along_x(wx, u + i),
                       along_x(wx, u + i + stride), along_x(wx, u + i + 2 * stride));
    }
  }
}

/// Departure cells that differ: every point selects its 4 of 5 columns and its 4 of 5 rows.
void advance_mixed(const KernelArguments& p) {
  const std::ptrdiff_t stride = p.stride;
  for (int j = 0; j < kSize; ++j) {
    const double* __restrict u = p.before + j * stride;
    const double* __restrict cx = p.cx + j * kSize;
    const double* __restrict cy = p.cy + j * kSize;
    double* __restrict out = p.after + j * stride;
    for (int i = 0; i < kSize; ++i) {
      const bool left = cx[i] < 0.0;
      const bool below = cy[i] < 0.0;
      const CubicWeights wx = cubic_weights(left ? cx[i] + 1.0 : cx[i]);
      const CubicWeights wy = cubic_weights(below ? cy[i] + 1.0 : cy[i]);
      double rows[5];
      for (int m = 0; m < 5; ++m) {
        const double* const v = u + i + (m - 2) * stride;
        rows[m] = combine(wx, left ? v[-2] : v[-1], left ? v[-1] : v[0], left ? v[0] : v[1],
                          left ? v[1] : v[2]);
      }
      out[i] = combine(wy, below ? rows[0] : rows[1], below ? rows[1] : rows[2],
                       below ? rows[2] : rows[3], below ? rows[3] : rows[4]);
    }
  }
}

}  // namespace

void KUMIKO_KERNEL_NAME(const KernelArguments& p) {
  if (p.upwind_x == Upwind::kMixed || p.upwind_y == Upwind::kMixed) return advance_mixed(p);
  const bool left = p.upwind_x == Upwind::kBelow;
  const bool below = p.upwind_y == Upwind::kBelow;
  if (below) return left ? advance_uniform<-1, -1>(p) : advance_uniform<0, -1>(p);
  return left ? advance_uniform<-1, 0>(p) : advance_uniform<0, 0>(p);
}

}  // namespace kumiko::solvers::cubic
