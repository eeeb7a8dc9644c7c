// A refinement indicator: the second difference relative to the first differences (Löhner 1987).
#pragma once

#include "refinement/criterion.hpp"

namespace kumiko::amr {

/// Löhner's indicator (Löhner 1987, Comput. Methods Appl. Mech. Eng. 61, eq. for one dimension)
/// along x and along y, the larger one, of the component where it is largest:
/// E = |um - 2u + up| / (|um - u| + |u - up| + delta (|um| + 2|u| + |up|) + floor),
/// and 0 where that is 0 / 0, possible with a floor of 0. Dimensionless, 0 .. 1.
/// \param floor  in the field's units
/// \param bound  a value of E at or below this may be given as 0
/// Cost: 9 operations a point and component; in rows with a curvature above bound × floor 34 and
/// two divisions more. Vectorised.
void loehner_indicator(ConstPatchView field, double delta, double floor, double bound,
                       IndicatorField& indicator);

}  // namespace kumiko::amr
