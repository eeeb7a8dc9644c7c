// A refinement indicator: the second difference relative to the first differences (Löhner 1987).
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/amr/instruction_set.hpp>

#include "refinement/criterion.hpp"
#include "refinement/loehner_kernel.hpp"

namespace kumiko::amr {

/// Löhner's indicator (Löhner 1987, Comput. Methods Appl. Mech. Eng. 61, eq. for one dimension)
/// along x and along y, the larger one, of the component where it is largest:
/// E = |um - 2u + up| / (|um - u| + |u - up| + delta (|um| + 2|u| + |up|) + floor),
/// and 0 where that is 0 / 0, possible with a floor of 0. Dimensionless, 0 .. 1.
/// \param floors  of each component, in its units
/// \param bound  a value of E at or below this may be given as 0
/// Cost: 9 operations a point and component; in rows with a curvature above bound × floor 34 and
/// two divisions more. Vectorised.
inline void loehner_indicator(ConstPatchView field, double delta, std::span<const double> floors,
                              double bound, IndicatorField& indicator) {
  indicator.values.fill(0.0);
  indicator.is_zero = true;
  // E is at most curvature / floor: below this curvature E cannot exceed the bound. The slack is
  // far more than roundings can do.
  constexpr double kSlack = 1e-9;
  static const LoehnerKernel kAddRows =
      select(&loehner_rows_baseline, &loehner_rows_avx2, &loehner_rows_avx512);
  for (int component = 0; component < field.components(); ++component) {
    const double floor = floors[static_cast<std::size_t>(component)];
    const double limit = bound * floor * (1.0 - kSlack);
    const LoehnerArguments of{field.origin(component), field.stride(), delta, floor, limit};
    if (kAddRows(of, indicator.values.data())) indicator.is_zero = false;
  }
}

}  // namespace kumiko::amr
