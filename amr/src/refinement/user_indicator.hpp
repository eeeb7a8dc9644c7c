// Asks the run, or else the case, for a refinement indicator of its own, and refuses NaN.
#pragma once

#include <cmath>
#include <stdexcept>

#include <fmt/core.h>

#include "refinement/criterion.hpp"
#include "transfer/transfer.hpp"

namespace kumiko::amr {

/// Throws OptionError: the case has no indicator.
[[noreturn]] inline void refuse_without_indicator() {
  throw OptionError("criterion", "user",
                    "the case has no refinement_indicator(); give it one, or set the criterion "
                    "to loehner or gradient");
}

/// Asks `own`, or the case where that is empty, for the indicator of a patch.
/// Throws std::invalid_argument when the case has none, std::runtime_error, naming the patch and
/// the point, when it gives NaN.
inline void user_indicator(const RefinementIndicator& own, const Case& problem,
                           const Geometry& geometry, const Patch& patch, double time,
                           IndicatorField& indicator) {
  const PatchCoordinates coordinates(geometry, patch.id());
  const int level = patch.id().level;
  const RefinementPatch seen{level, time, geometry.spacing(level), coordinates.points(),
                             patch.now()};
  if (own) {
    own(seen, indicator.values);
  } else if (!problem.refinement_indicator(seen, indicator.values)) {
    refuse_without_indicator();
  }
  for (int at = 0; at < kPatchPoints; ++at) {
    if (!std::isnan(indicator.values[static_cast<std::size_t>(at)])) continue;
    throw std::runtime_error(
        fmt::format("the {} refinement indicator is not a number at point ({}, {}) of {} at "
                    "t = {:g}",
                    own ? "run's own" : "case's", at % kPatchSize, at / kPatchSize,
                    to_string(patch.id()), time));
  }
}

}  // namespace kumiko::amr
