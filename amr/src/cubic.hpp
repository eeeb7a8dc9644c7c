// Cubic Lagrange interpolation between four equidistant values.
#pragma once

#include <cmath>

#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

/// Weights of the three differences between the values at -1, 0, 1, 2, for a point at f in [0, 1].
/// Written on differences, the interpolant reproduces a constant without rounding:
/// p = u0 + a (u0 - um) + b (u1 - u0) + c (u2 - u1), with a + b + c = f.
struct CubicWeights {
  double a;
  double b;
  double c;

  explicit CubicWeights(double f) {
    const double q = f * (1.0 - f) * (1.0 / 6.0);
    a = q * (2.0 - f);
    c = -(q * (1.0 + f));
    b = (f - a) - c;
  }

  double apply(double um, double u0, double u1, double u2) const {
    return ((u0 + a * (u0 - um)) + b * (u1 - u0)) + c * (u2 - u1);
  }
};

/// The interpolant half-way between u0 and u1: weights -1/16, 9/16, 9/16, -1/16, which are exact in
/// binary, and the sum runs on differences as above.
inline double cubic_midpoint(double um, double u0, double u1, double u2) {
  return ((u0 + 0.0625 * (u0 - um)) + 0.5 * (u1 - u0)) - 0.0625 * (u2 - u1);
}

/// Value at (x, y) in units of the patch's points, where the 4×4 points around it, 4 interpolations
/// in x and 1 in y, lie within the ghosts. A coordinate up to one cell beyond the reach uses the
/// outermost stencil.
inline double interpolate(ConstPatchView patch, int component, double x, double y) {
  const int last = kPatchSize + patch.ghosts() - 3;
  const auto cell = [&](double position) {
    const int index = static_cast<int>(std::floor(position));
    return index > last ? last : (index < 1 - patch.ghosts() ? 1 - patch.ghosts() : index);
  };
  const int i = cell(x);
  const int j = cell(y);
  const CubicWeights wx(x - i);
  const CubicWeights wy(y - j);
  const double* row = patch.origin(component) + (j - 1) * patch.stride() + i;
  double values[4];
  for (double& value : values) {
    value = wx.apply(row[-1], row[0], row[1], row[2]);
    row += patch.stride();
  }
  return wy.apply(values[0], values[1], values[2], values[3]);
}

/// Value at (i2 / 2, j2 / 2) in units of the patch's points: a node of the next finer level, seen
/// from the coarse patch. The same stencils as interpolate() with the fractions 0 and 1/2 known.
inline double interpolate_half(ConstPatchView patch, int component, int i2, int j2) {
  const std::ptrdiff_t stride = patch.stride();
  const double* at = patch.origin(component) + (j2 >> 1) * stride + (i2 >> 1);
  const auto along_x = [](const double* p) { return cubic_midpoint(p[-1], p[0], p[1], p[2]); };
  const bool odd_x = (i2 & 1) != 0;
  if ((j2 & 1) == 0) return odd_x ? along_x(at) : *at;
  if (!odd_x) return cubic_midpoint(at[-stride], at[0], at[stride], at[2 * stride]);
  return cubic_midpoint(along_x(at - stride), along_x(at), along_x(at + stride),
                        along_x(at + 2 * stride));
}

}  // namespace kumiko::amr
