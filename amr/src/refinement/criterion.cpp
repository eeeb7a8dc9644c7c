#include "refinement/criterion.hpp"

#include <stdexcept>

#include "refinement/gradient.hpp"
#include "refinement/loehner.hpp"
#include "refinement/user_indicator.hpp"

namespace kumiko::amr {

Indicator make_indicator(const RefinementOptions& options, const Geometry& geometry,
                         const Case& problem, double floor) {
  switch (options.criterion) {
    case Criterion::kLoehner:
      return [options, floor](const Patch& patch, double, IndicatorField& indicator) {
        loehner_indicator(patch.now(), options.delta, floor, keep_threshold(options), indicator);
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
