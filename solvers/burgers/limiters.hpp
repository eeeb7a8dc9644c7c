// Limiters: the slope of a cell from the differences to its two neighbours.
#pragma once

#include <algorithm>
#include <cmath>

namespace kumiko::solvers::limiters {

// Each is symmetric in its arguments, 0 where their signs differ, and at most twice the lesser of
// them: what the proof that no value overshoots asks for (Sweby 1984, SIAM J. Numer. Anal. 21).

/// The lesser in magnitude: the most careful, and the most diffusive.
struct Minmod {
  static double slope(double a, double b) {
    if (!(a * b > 0.0)) return 0.0;
    return std::abs(a) < std::abs(b) ? a : b;
  }
};

/// The harmonic mean (van Leer 1974, J. Comput. Phys. 14).
struct VanLeer {
  static double slope(double a, double b) {
    const double product = a * b;
    return product > 0.0 ? 2.0 * product / (a + b) : 0.0;
  }
};

/// The central difference, at most twice the lesser (van Leer 1977, J. Comput. Phys. 23).
struct MonotonizedCentral {
  static double slope(double a, double b) {
    if (!(a * b > 0.0)) return 0.0;
    const double least = 2.0 * std::min(std::abs(a), std::abs(b));
    return std::copysign(std::min(least, 0.5 * std::abs(a + b)), a);
  }
};

/// The steepest that is allowed: sharpens jumps, and squares what is smooth (Roe 1985).
struct Superbee {
  static double slope(double a, double b) {
    if (!(a * b > 0.0)) return 0.0;
    const double least = std::min(std::abs(a), std::abs(b));
    const double largest = std::max(std::abs(a), std::abs(b));
    return std::copysign(std::min(2.0 * least, largest), a);
  }
};

}  // namespace kumiko::solvers::limiters
