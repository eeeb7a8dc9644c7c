// Computes the refinement indicator of every point of a patch, by the criterion that a run chooses.
//
// A new criterion takes a function in a header of its own (as loehner, gradient, user_indicator), a
// value of Criterion with its name beside it, and a case in make_indicator(). Thresholds, growth of
// tags and nesting are common to all.
#pragma once

#include <array>
#include <functional>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/refinement_options.hpp>

#include "refinement/field_scales.hpp"

namespace kumiko::amr {

static_assert(kAxes == 2, "indicators look along x and y");

/// A value for each interior point of a patch, x fastest. None is NaN.
struct IndicatorField {
  alignas(64) std::array<double, kPatchPoints> values;
  bool is_zero = false;  ///< whether all values are 0; an indicator need not say so
};

/// Fills the indicator of a patch whose first ghost layer is filled, at a time. A value at or below
/// both thresholds may be given as 0. May be called from any thread; does not suspend.
using Indicator = std::function<void(const Patch& patch, double time, IndicatorField& indicator)>;

/// Makes the indicator of the options' criterion. The geometry and the case must outlive it.
/// \param scales  of the field's components, which Löhner's floor follows; must outlive it
Indicator make_indicator(const RefinementOptions& options, const Geometry& geometry,
                         const Case& problem, const FieldScales& scales);

}  // namespace kumiko::amr
