#include "simulation/flow_measurement.hpp"

#include <cmath>
#include <limits>

namespace kumiko::amr {

std::vector<double> FlowMeasurement::own_part() const {
  std::vector<double> own;
  if (needs_interval_) own.push_back(-regrids_.own_interval());
  if (needs_cfl_) {
    const auto cfl = stepper_.own_largest_cfl(stepper_.clock().time(step_));
    own.push_back(cfl.value_or(std::numeric_limits<double>::infinity()));
  }
  return own;
}

MeasuredFlow FlowMeasurement::of_all(const std::vector<double>& largest) const {
  MeasuredFlow found;
  if (needs_interval_) found.interval = -largest.front();
  // Where it could not be had, asking for it again throws on all owners.
  if (needs_cfl_ && std::isfinite(largest.back())) found.cfl = largest.back();
  return found;
}

}  // namespace kumiko::amr
