// What tells where to refine: an indicator for every point of a patch.
//
// A criterion is one function in a file pair of its own (loehner, gradient, user_indicator), a name
// in Criterion, and a line in make_indicator(). The thresholds and all that follows are common.
#pragma once

#include <array>
#include <functional>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/refinement_options.hpp>

namespace kumiko::amr {

/// A value for each interior point of a patch, x fastest. None is NaN.
struct IndicatorField {
  alignas(64) std::array<double, kPatchPoints> values;
};

/// Fills the indicator of a patch whose first ghost layer is filled, at a time. Values that no
/// threshold is below may be given as 0. May be called from any thread; does not suspend.
using Indicator = std::function<void(const Patch& patch, double time, IndicatorField& indicator)>;

/// The options' criterion. The geometry and the case must outlive it.
/// @param floor  of Löhner's denominator, absolute
Indicator make_indicator(const RefinementOptions& options, const Geometry& geometry,
                         const Case& problem, double floor);

}  // namespace kumiko::amr
