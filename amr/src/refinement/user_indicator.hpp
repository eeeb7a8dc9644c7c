// The case's own refinement indicator.
#pragma once

#include "refinement/criterion.hpp"

namespace kumiko::amr {

/// Asks the case for its indicator of a patch.
/// Throws std::invalid_argument when the case has none, std::runtime_error, naming the patch and
/// the point, when it gives NaN.
void user_indicator(const Case& problem, const Geometry& geometry, const Patch& patch, double time,
                    IndicatorField& indicator);

}  // namespace kumiko::amr
