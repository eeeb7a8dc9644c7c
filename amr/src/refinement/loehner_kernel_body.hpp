// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include "refinement/loehner_kernel.hpp"

namespace kumiko::amr {

namespace {

constexpr int kRowPoints = 16;  ///< points of a row, and rows of a patch

inline double curvature(double um, double u, double up) {
  return __builtin_fabs((um - 2.0 * u) + up);
}

inline double loehner(double um, double u, double up, double delta, double floor) {
  const double slopes = __builtin_fabs(um - u) + __builtin_fabs(u - up);
  const double filter =
      delta * ((__builtin_fabs(um) + 2.0 * __builtin_fabs(u)) + __builtin_fabs(up));
  return curvature(um, u, up) / ((slopes + filter) + floor);
}

/// The larger one; `largest` when `value` is NaN.
inline double larger_of(double value, double largest) { return value > largest ? value : largest; }

// The loops over a row have no branches, so that compilers vectorise them.

/// Whether no curvature along the row exceeds the limit, by the signs of the differences.
inline bool is_flat(const double* u, std::ptrdiff_t stride, double limit) {
  std::uint64_t signs = 0;
  for (int i = 0; i < kRowPoints; ++i) {
    const double along_x = curvature(u[i - 1], u[i], u[i + 1]);
    const double along_y = curvature(u[i - stride], u[i], u[i + stride]);
    signs |= __builtin_bit_cast(std::uint64_t, limit - along_x);
    signs |= __builtin_bit_cast(std::uint64_t, limit - along_y);
  }
  return (signs >> 63) == 0;
}

inline void add_row(const double* u, std::ptrdiff_t stride, double delta, double floor,
                    double* __restrict largest) {
  const double* const below = u - stride;
  const double* const above = u + stride;
  for (int i = 0; i < kRowPoints; ++i) {
    const double along_x = loehner(u[i - 1], u[i], u[i + 1], delta, floor);
    const double along_y = loehner(below[i], u[i], above[i], delta, floor);
    largest[i] = larger_of(along_y, larger_of(along_x, largest[i]));
  }
}

}  // namespace

bool KUMIKO_KERNEL_NAME(const LoehnerArguments& of, double* largest) {
  bool any = false;
  for (int j = 0; j < kRowPoints; ++j) {
    const double* const u = of.origin + j * of.stride;
    if (is_flat(u, of.stride, of.limit)) continue;
    any = true;
    add_row(u, of.stride, of.delta, of.floor, largest + j * kRowPoints);
  }
  return any;
}

}  // namespace kumiko::amr
