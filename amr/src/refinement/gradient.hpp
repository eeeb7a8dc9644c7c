// A refinement indicator: the largest difference between a point and its neighbours.
#pragma once

#include <cmath>
#include <cstddef>

#include "refinement/criterion.hpp"

namespace kumiko::amr {

namespace detail {

/// The larger one; `largest` when `value` is NaN.
inline double larger(double value, double largest) { return value > largest ? value : largest; }

inline void add_row(const double* u, std::ptrdiff_t stride, double* __restrict largest) {
  const double* const below = u - stride;
  const double* const above = u + stride;
  for (int i = 0; i < kPatchSize; ++i) {
    const double along_x =
        larger(std::abs(u[i] - u[i - 1]), larger(std::abs(u[i] - u[i + 1]), largest[i]));
    largest[i] = larger(std::abs(u[i] - below[i]), larger(std::abs(u[i] - above[i]), along_x));
  }
}

}  // namespace detail

/// |∇u| undivided: the largest |u - v| over the four neighbouring values v, of the component where
/// it is largest. In the field's units: the jump that neighbouring points of a level may differ by.
/// Divided by the spacing it is the largest one-sided slope; undivided it halves from level to
/// level where the field is smooth, so that refinement ends where the points resolve it. Cost: 12
/// operations a point and component, vectorised.
inline void gradient_indicator(ConstPatchView field, IndicatorField& indicator) {
  indicator.values.fill(0.0);
  for (int component = 0; component < field.components(); ++component) {
    for (int j = 0; j < kPatchSize; ++j) {
      detail::add_row(field.origin(component) + j * field.stride(), field.stride(),
                      indicator.values.data() + static_cast<std::ptrdiff_t>(j) * kPatchSize);
    }
  }
}

}  // namespace kumiko::amr
