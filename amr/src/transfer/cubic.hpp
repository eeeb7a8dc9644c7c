// Cubic Lagrange interpolation between four equidistant values.
#pragma once

#include <cstddef>

#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "the interpolation goes along x, then along y");

/// Half-way between u0 and u1: weights -1/16, 9/16, 9/16, -1/16, which are exact in binary. Summed
/// on differences, so that a constant passes without rounding.
inline double cubic_midpoint(double um, double u0, double u1, double u2) {
  return ((u0 + 0.0625 * (u0 - um)) + 0.5 * (u1 - u0)) - 0.0625 * (u2 - u1);
}

/// Nodes of the next finer level, seen from the coarse patch: (i2 / 2, j2 / 2) in units of its
/// points is the first, and there are width × height of them.
struct HalfBlock {
  int i2;
  int j2;
  int width;   ///< up to kPatchSize
  int height;  ///< up to kPatchSize
};

/// Values at the nodes of a block, 4 interpolations in x and 1 in y each, the fractions 0 and 1/2
/// being known: along x once for each coarse row, then along y. The 4×4 points around each node
/// must lie within the ghosts.
/// \param to  of the first node; rows follow at `stride`
void interpolate_block(ConstPatchView patch, int component, const HalfBlock& block, double* to,
                       std::ptrdiff_t stride);

}  // namespace kumiko::amr
