// The interpolation of the semi-Lagrangian solver, compiled once for each instruction set.
#pragma once

#include <cstddef>

namespace kumiko::solvers::cubic {

/// Which cell holds the departure points of a patch, along one axis.
enum class Upwind : int {
  kBelow,  ///< all between the point and its lower neighbour
  kAbove,  ///< all between the point and its upper neighbour
  kMixed   ///< differs from point to point
};

/// Tensor-product Lagrange interpolation on the points around the departure cell.
enum class Interpolation {
  kCubic,   ///< 4×4 of them
  kQuintic  ///< 6×6
};

/// What becomes of over- and undershoots.
enum class Monotone {
  kNone,  ///< they stay
  kQuasi  ///< clipped to the least and largest value at the departure cell's four corners
};

/// One patch and one component. `before` and `after` address point (0, 0) of fields with two or
/// more ghost layers, three for quintic interpolation; cx, cy are the displacements to the
/// departure points in units of the spacing, in [-1, 1], 16×16 values, x fastest.
struct KernelArguments {
  const double* before;
  double* after;
  std::ptrdiff_t stride;  ///< of both fields
  const double* cx;
  const double* cy;
  Upwind upwind_x;
  Upwind upwind_y;
  Interpolation interpolation = Interpolation::kCubic;
  Monotone monotone = Monotone::kNone;
};

using Kernel = void (*)(const KernelArguments&);

/// All three give the same bits: the arithmetic of a point has one order, without fused
/// multiply-adds. Cost per point with uniform upwind directions: cubic 63 flops and 16 loads of the
/// field, quintic 159 and 36; clipping adds 8 comparisons.
void advance_baseline(const KernelArguments& arguments);
void advance_avx2(const KernelArguments& arguments);
void advance_avx512(const KernelArguments& arguments);

}  // namespace kumiko::solvers::cubic
