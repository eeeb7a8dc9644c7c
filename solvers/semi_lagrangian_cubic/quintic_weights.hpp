// Quintic Lagrange interpolation between six equidistant values, for kernels.
#pragma once

namespace kumiko::solvers::cubic {

/// Weights of the five differences between the values at -2, -1, 0, 1, 2, 3, for a point at f in
/// [0, 1]. Written on differences, the interpolant reproduces a constant without rounding:
/// p = u₀ + Σ wₖ (uₖ₊₁ - uₖ), k = -2 .. 2, with Σ wₖ = f.
struct QuinticWeights {
  double a, b, c, d, e;
};

// Static: files that are compiled for different instruction sets each have their own.

/// The weights for a point at f: sums of Lagrange's four outer ones. Cost: 27 flops.
static inline QuinticWeights quintic_weights(double f) {
  const double q = f * (1.0 - f);
  const double near = q * ((2.0 + f) * (3.0 - f)) * (1.0 / 24.0);  // of both values at distance 2
  const double far = q * ((1.0 + f) * (2.0 - f)) * (1.0 / 120.0);  // and at distance 3
  const double a = -(far * (3.0 - f));
  const double e = far * (2.0 + f);
  const double b = a + near * (2.0 - f);
  const double d = e - near * (1.0 + f);
  return {a, b, (((f - a) - b) - d) - e, d, e};
}

/// The interpolant's value at f between u[0] and u[1]. Cost: 15 flops.
static inline double combine(const QuinticWeights& w, const double* u) {
  const double lower = (u[0] + w.a * (u[-1] - u[-2])) + w.b * (u[0] - u[-1]);
  return ((lower + w.c * (u[1] - u[0])) + w.d * (u[2] - u[1])) + w.e * (u[3] - u[2]);
}

}  // namespace kumiko::solvers::cubic
