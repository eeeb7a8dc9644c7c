// The interpolation kernel, compiled once for each instruction set.
#pragma once

#include <cstddef>

namespace kumiko::solvers::cubic {

/// Which cell holds the departure points of a patch, along one axis.
enum class Upwind : int {
  kBelow,  ///< all between the point and its lower neighbour
  kAbove,  ///< all between the point and its upper neighbour
  kMixed   ///< differs from point to point
};

/// One patch and one component. `before` and `after` address point (0, 0) of fields with two or
/// more ghost layers; cx, cy are the displacements to the departure points in units of the spacing,
/// in [-1, 1], 16×16 values, x fastest.
struct KernelArguments {
  const double* before;
  double* after;
  std::ptrdiff_t stride;  ///< of both fields
  const double* cx;
  const double* cy;
  Upwind upwind_x;
  Upwind upwind_y;
};

using Kernel = void (*)(const KernelArguments&);

/// All three give the same bits: the arithmetic of a point has one order, without fused
/// multiply-adds. Cost per point with uniform upwind directions: 63 flops, 16 loads of the field.
void advance_baseline(const KernelArguments& arguments);
void advance_avx2(const KernelArguments& arguments);
void advance_avx512(const KernelArguments& arguments);

}  // namespace kumiko::solvers::cubic
