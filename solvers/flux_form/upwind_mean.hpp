// The mean of u over what flows through a face in one step, to odd orders.
#pragma once

#include <cstddef>

namespace kumiko::solvers::flux_form {

namespace {

/// The mean over the Courant number's length upwind of a face of the polynomial that has the
/// averages of the `Order` cells around the upwind cell: Newton's form about the face of the
/// primitive's interpolant, on differences, so that constants are kept to the bit.
///
/// With s = |v|, and differences of even order about the upwind cell, of odd order about the face
/// and along the flow:
///   u + (1-s)/2 (δ¹ - (1+s)/3 (δ² + (2-s)/4 (δ³ - (2+s)/5 (δ⁴ + (3-s)/6 (δ⁵ - ...
/// \param u     the cell above the face
/// \param step  from a cell to the next across the face
/// \param v     the face's Courant number
/// \param s     |v|, or 0 for the mean over the face at this moment
template <int Order>
inline double upwind_mean(const double* u, std::ptrdiff_t step, double v, double s) {
  static_assert(Order >= 3 && Order % 2 == 1);
  constexpr int kHalf = (Order + 1) / 2;
  const bool from_below = v >= 0.0;
  const double sign = from_below ? 1.0 : -1.0;
  double cells[2 * kHalf];
  double terms[Order];
#pragma GCC unroll 16
  for (int k = 0; k < 2 * kHalf; ++k) cells[k] = u[(k - kHalf) * step];
  terms[0] = from_below ? cells[kHalf - 1] : cells[kHalf];
#pragma GCC unroll 16
  for (int n = 1; n < Order; ++n) {
#pragma GCC unroll 16
    for (int k = 0; k < 2 * kHalf - n; ++k) cells[k] = cells[k + 1] - cells[k];
    const int below = (2 * kHalf - n - 1) / 2;
    terms[n] = n % 2 == 1 ? sign * cells[below] : (from_below ? cells[below] : cells[below + 1]);
  }
  double sum = terms[Order - 1];
#pragma GCC unroll 16
  for (int n = Order - 2; n >= 0; --n) {
    const int away = (n + 1) / 2;
    const int toward = (n + 2) / 2;
    const double scale = 1.0 / (n + 2);
    const double factor = n % 2 == 1 ? (away + s) * -scale : (toward - s) * scale;
    sum = terms[n] + factor * sum;
  }
  return sum;
}

}  // namespace

}  // namespace kumiko::solvers::flux_form
