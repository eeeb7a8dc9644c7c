// Limiters: the slope of a cell from the differences to its two neighbours.
#pragma once

#include <cmath>

namespace kumiko::solvers::limiters {

/// A limiter.
using Slope = double (*)(double a, double b);

// Each is symmetric in its arguments, 0 where their signs differ, and at most twice the lesser of
// them: what the proof that no value overshoots asks for (Sweby 1984, SIAM J. Numer. Anal. 21).
// What is computed depends on no branch, only what is chosen: loops over cells can have vectors.

inline double lesser(double a, double b) { return a < b ? a : b; }
inline double larger(double a, double b) { return a < b ? b : a; }

/// A magnitude with the sign of a, if b has the same; else 0.
inline double signed_alike(double magnitude, double a, double b) {
  const double with_sign = std::copysign(magnitude, a);
  return a * b > 0.0 ? with_sign : 0.0;
}

/// The lesser in magnitude: the most careful, and the most diffusive.
inline double minmod(double a, double b) {
  return signed_alike(lesser(std::abs(a), std::abs(b)), a, b);
}

/// The harmonic mean (van Leer 1974, J. Comput. Phys. 14).
inline double van_leer(double a, double b) {
  const double product = a * b;
  const double twice = 2.0 * product;
  const double sum = a + b;
  const bool alike = product > 0.0;
  return (alike ? twice : 0.0) / (alike ? sum : 1.0);
}

/// The central difference, at most twice the lesser (van Leer 1977, J. Comput. Phys. 23).
inline double monotonized_central(double a, double b) {
  const double least = 2.0 * lesser(std::abs(a), std::abs(b));
  return signed_alike(lesser(least, 0.5 * std::abs(a + b)), a, b);
}

/// The steepest that is allowed: sharpens jumps, and squares what is smooth (Roe 1985).
inline double superbee(double a, double b) {
  const double least = 2.0 * lesser(std::abs(a), std::abs(b));
  return signed_alike(lesser(least, larger(std::abs(a), std::abs(b))), a, b);
}

}  // namespace kumiko::solvers::limiters
