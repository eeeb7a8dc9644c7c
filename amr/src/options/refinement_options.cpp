#include <cmath>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/refinement_options.hpp>

namespace kumiko::amr {

namespace {

void require(bool good, const std::string& message) {
  if (!good) throw std::invalid_argument(message);
}

}  // namespace

double scaled_threshold(double threshold, int order, int at, int points) {
  const double ratio = static_cast<double>(at) / points;
  for (int power = 0; power < order; ++power) threshold *= ratio;
  return threshold;
}

double keep_threshold(const RefinementOptions& options) {
  return options.derefine_threshold > 0.0 ? options.derefine_threshold : options.threshold;
}

void check(const RefinementOptions& options) {
  require(std::isfinite(options.threshold) && options.threshold > 0.0,
          fmt::format("amr.threshold is {:g}; it must be above 0", options.threshold));
  require(options.criterion != Criterion::kLoehner || options.threshold < 1.0,
          fmt::format("amr.threshold is {:g}, which Löhner's indicator never exceeds; choose one "
                      "below 1",
                      options.threshold));
  // Written so that NaN is refused.
  require(
      options.derefine_threshold >= 0.0 && options.derefine_threshold <= options.threshold,
      fmt::format("amr.derefine_threshold is {:g}; it must be at most amr.threshold, {:g}, or 0 "
                  "for the same",
                  options.derefine_threshold, options.threshold));
  require(options.hysteresis >= 0,
          fmt::format("amr.hysteresis is {}; it must be at least 0", options.hysteresis));
  require(options.min_lifetime >= 0,
          fmt::format("amr.min_lifetime is {}; it must be at least 0", options.min_lifetime));
  require(
      options.interval >= 0,
      fmt::format("amr.interval is {}; it must be at least 1, or 0 for an interval that follows "
                  "from the CFL number and amr.buffer",
                  options.interval));
  require(options.check_finite >= 0,
          fmt::format("amr.check_finite is {}; it must be at least 1, or 0 for no check",
                      options.check_finite));
  require(
      !options.indicator || options.criterion == Criterion::kUser,
      "RefinementOptions::indicator is given, and amr.criterion does not ask for it; choose user");
  require(options.buffer >= 0 && options.buffer <= kPatchSize,
          fmt::format("amr.buffer is {}; 0 to {} work", options.buffer, kPatchSize));
}

}  // namespace kumiko::amr
