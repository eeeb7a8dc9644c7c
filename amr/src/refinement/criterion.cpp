#include "refinement/criterion.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

#include "refinement/gradient.hpp"
#include "refinement/loehner.hpp"
#include "refinement/user_indicator.hpp"

namespace kumiko::amr {

Indicator make_indicator(const RefinementOptions& options, const Geometry& geometry,
                         const Case& problem, const FieldScales& scales) {
  switch (options.criterion) {
    case Criterion::kLoehner:
      return [options, &scales](const Patch& patch, double, IndicatorField& indicator) {
        std::array<double, kMostComponents> floors;
        const ConstPatchView field = patch.now();
        for (int component = 0; component < field.components(); ++component) {
          floors[static_cast<std::size_t>(component)] = options.floor * scales.of(component);
        }
        loehner_indicator(field, options.delta, floors, keep_threshold(options), indicator);
      };
    case Criterion::kGradient:
      return [](const Patch& patch, double, IndicatorField& indicator) {
        gradient_indicator(patch.now(), indicator);
      };
    case Criterion::kUser:
      return [own = options.indicator, &geometry, &problem](const Patch& patch, double time,
                                                            IndicatorField& indicator) {
        user_indicator(own, problem, geometry, patch, time, indicator);
      };
  }
  throw std::logic_error("a refinement criterion without a function");
}

}  // namespace kumiko::amr
