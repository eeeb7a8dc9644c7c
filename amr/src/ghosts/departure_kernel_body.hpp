// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include <kumiko/amr/cubic_weights.hpp>

#include "ghosts/departure_kernel.hpp"

namespace kumiko::amr {

namespace {

constexpr int kLanes = 8;

/// Half-way between nodes the departure stays within the cell; at a node it may lie in either of
/// the two beside it, and the stencil is selected point by point.
template <bool Half>
inline double combine_selected(const CubicWeights& w, bool before, const double* u,
                               std::ptrdiff_t step) {
  if constexpr (Half) return combine(w, u[-step], u[0], u[step], u[2 * step]);
  return combine(w, before ? u[-2 * step] : u[-step], before ? u[-step] : u[0],
                 before ? u[0] : u[step], before ? u[step] : u[2 * step]);
}

template <bool Half>
inline double fraction(double displacement) {
  if constexpr (Half) return 0.5 + displacement;
  return displacement < 0.0 ? displacement + 1.0 : displacement;
}

template <bool HalfX, bool HalfY>
inline double interpolate_point(const double* u, std::ptrdiff_t step_x, std::ptrdiff_t step_y,
                                double dx, double dy) {
  const bool left = dx < 0.0;
  const bool below = dy < 0.0;
  const CubicWeights wx = cubic_weights(fraction<HalfX>(dx));
  const CubicWeights wy = cubic_weights(fraction<HalfY>(dy));
  double rows[5];
  for (int m = HalfY ? 1 : 0; m < 5; ++m) {
    rows[m] = combine_selected<HalfX>(wx, left, u + (m - 2) * step_y, step_x);
  }
  return combine_selected<HalfY>(wy, below, rows + 2, 1);
}

template <bool HalfX, bool HalfY>
void interpolate_line(const DepartureLine& line) {
  const double* __restrict from = line.from;
  const double* __restrict dx = line.dx;
  const double* __restrict dy = line.dy;
  double values[kLanes];
  if (line.lanes == kLanes && line.step_x == 1) {
    for (int l = 0; l < kLanes; ++l) {
      values[l] = interpolate_point<HalfX, HalfY>(from + l, 1, line.step_y, dx[l], dy[l]);
    }
  } else if (line.lanes == kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      values[l] = interpolate_point<HalfX, HalfY>(from + l, line.step_x, 1, dx[l], dy[l]);
    }
  } else {
    for (int l = 0; l < line.lanes; ++l) {
      values[l] = interpolate_point<HalfX, HalfY>(from + l, line.step_x, line.step_y, dx[l], dy[l]);
    }
  }
  for (int l = 0; l < line.lanes; ++l) line.to[l * line.to_step] = values[l];
}

}  // namespace

void KUMIKO_KERNEL_NAME(const DepartureLine* lines, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) {
    const DepartureLine& line = lines[at];
    if (line.half_x) {
      line.half_y ? interpolate_line<true, true>(line) : interpolate_line<true, false>(line);
    } else {
      line.half_y ? interpolate_line<false, true>(line) : interpolate_line<false, false>(line);
    }
  }
}

}  // namespace kumiko::amr
