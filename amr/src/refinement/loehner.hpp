// A refinement indicator: the second difference relative to the first differences (Löhner 1987).
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "refinement/criterion.hpp"
#include "refinement/larger.hpp"

namespace kumiko::amr {

namespace detail {

inline double curvature(double um, double u, double up) { return std::abs((um - 2.0 * u) + up); }

inline double loehner(double um, double u, double up, double delta, double floor) {
  const double slopes = std::abs(um - u) + std::abs(u - up);
  const double filter = delta * ((std::abs(um) + 2.0 * std::abs(u)) + std::abs(up));
  return curvature(um, u, up) / ((slopes + filter) + floor);
}

/// The first points of a row, the row below and the row above.
struct Rows {
  const double* u;
  const double* below;
  const double* above;
};

// The loops over a row have no branches, so that compilers vectorise them.

/// Whether no curvature along the row exceeds the limit, by the signs of the differences.
inline bool is_flat(const Rows& rows, double limit) {
  std::uint64_t signs = 0;
  for (int i = 0; i < kPatchSize; ++i) {
    const double along_x = curvature(rows.u[i - 1], rows.u[i], rows.u[i + 1]);
    const double along_y = curvature(rows.below[i], rows.u[i], rows.above[i]);
    signs |= std::bit_cast<std::uint64_t>(limit - along_x);
    signs |= std::bit_cast<std::uint64_t>(limit - along_y);
  }
  return (signs >> 63) == 0;
}

inline void add_row(const Rows& rows, double delta, double floor, double* __restrict largest) {
  for (int i = 0; i < kPatchSize; ++i) {
    const double along_x = loehner(rows.u[i - 1], rows.u[i], rows.u[i + 1], delta, floor);
    const double along_y = loehner(rows.below[i], rows.u[i], rows.above[i], delta, floor);
    largest[i] = larger(along_y, larger(along_x, largest[i]));
  }
}

}  // namespace detail

/// Löhner's indicator (Löhner 1987, Comput. Methods Appl. Mech. Eng. 61, eq. for one dimension)
/// along x and along y, the larger one, of the component where it is largest:
/// E = |um - 2u + up| / (|um - u| + |u - up| + delta (|um| + 2|u| + |up|) + floor),
/// and 0 where that is 0 / 0, possible with a floor of 0. Dimensionless, 0 .. 1.
/// \param floor  in the field's units
/// \param bound  a value of E at or below this may be given as 0
/// Cost: 9 operations a point and component; in rows with a curvature above bound × floor 34 and
/// two divisions more. Vectorised.
inline void loehner_indicator(ConstPatchView field, double delta, double floor, double bound,
                              IndicatorField& indicator) {
  indicator.values.fill(0.0);
  // E is at most curvature / floor: below this curvature E cannot exceed the bound. The slack is
  // far more than roundings can do.
  constexpr double kSlack = 1e-9;
  const double limit = bound * floor * (1.0 - kSlack);
  const std::ptrdiff_t stride = field.stride();
  for (int component = 0; component < field.components(); ++component) {
    for (int j = 0; j < kPatchSize; ++j) {
      const double* const u = field.origin(component) + j * stride;
      const detail::Rows rows{u, u - stride, u + stride};
      if (detail::is_flat(rows, limit)) continue;
      detail::add_row(rows, delta, floor,
                      indicator.values.data() + static_cast<std::ptrdiff_t>(j) * kPatchSize);
    }
  }
}

}  // namespace kumiko::amr
