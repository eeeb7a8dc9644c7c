// Cubic Lagrange interpolation between four equidistant values, in a form that kernels can compile.
#pragma once

namespace kumiko::amr {

/// Weights of the three differences between the values at -1, 0, 1, 2, for a point at f in [0, 1].
/// Written on differences, the interpolant reproduces a constant without rounding:
/// p = u0 + a (u0 - um) + b (u1 - u0) + c (u2 - u1), with a + b + c = f.
struct CubicWeights {
  double a, b, c;
};

// Static: files that are compiled for different instruction sets each have their own. One that they
// shared could end up with instructions that the processor lacks.

/// The weights for a point at f. Cost: 9 flops.
static inline CubicWeights cubic_weights(double f) {
  const double q = f * (1.0 - f) * (1.0 / 6.0);
  const double a = q * (2.0 - f);
  const double c = -(q * (1.0 + f));
  return {a, (f - a) - c, c};
}

/// The interpolant's value. Cost: 9 flops.
static inline double combine(const CubicWeights& w, double um, double u0, double u1, double u2) {
  return ((u0 + w.a * (u0 - um)) + w.b * (u1 - u0)) + w.c * (u2 - u1);
}

}  // namespace kumiko::amr
