// Asks the run, or else the case, for a refinement indicator of its own, and refuses NaN.
#pragma once

#include "refinement/criterion.hpp"

namespace kumiko::amr {

/// Asks `own`, or the case where that is empty, for the indicator of a patch.
/// Throws std::invalid_argument when the case has none, std::runtime_error, naming the patch and
/// the point, when it gives NaN.
void user_indicator(const RefinementIndicator& own, const Case& problem, const Geometry& geometry,
                    const Patch& patch, double time, IndicatorField& indicator);

}  // namespace kumiko::amr
