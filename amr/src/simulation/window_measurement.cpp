#include "simulation/window_measurement.hpp"

#include <cmath>
#include <limits>

#include "refinement/magnitudes.hpp"

namespace kumiko::amr {

std::vector<double> WindowMeasurement::own_part() const {
  std::vector<double> own;
  if (needs_interval_) own.push_back(-regrids_.own_interval());
  if (needs_cfl_) {
    const auto cfl = stepper_.own_largest_cfl(stepper_.clock().time(step_));
    own.push_back(cfl.value_or(std::numeric_limits<double>::infinity()));
  }
  if (needs_magnitudes_) {
    for (const double magnitude : own_magnitudes(hierarchy_, backend_)) own.push_back(magnitude);
  }
  return own;
}

Measured WindowMeasurement::of_all(const std::vector<double>& largest) const {
  Measured found;
  auto next = largest.begin();
  if (needs_interval_) found.interval = -*next++;
  if (needs_cfl_) {
    // Where it could not be had, asking for it again throws on all ranks.
    if (std::isfinite(*next)) found.cfl = *next;
    ++next;
  }
  if (needs_magnitudes_) found.magnitudes.emplace(next, largest.end());
  return found;
}

}  // namespace kumiko::amr
