#include "problem/checked_case.hpp"

#include <kumiko/amr/finite_values.hpp>

namespace kumiko::amr {

void CheckedCase::look_at(Points points, std::span<const double> values) const {
  if (are_finite(values)) return;
  // Nobody can answer for a place that does not exist: then the solver is to blame.
  if (are_finite(points.x) && are_finite(points.y)) is_sound_ = false;
}

void CheckedCase::velocity(Points points, double time, Vectors velocity) const {
  case_.velocity(points, time, velocity);
  look_at(points, velocity.x);
  look_at(points, velocity.y);
}

std::optional<double> CheckedCase::velocity_factor(double time) const {
  const std::optional<double> factor = case_.velocity_factor(time);
  if (factor && !are_finite({&*factor, 1})) is_sound_ = false;
  return factor;
}

bool CheckedCase::stream_function(Points points, double time, std::span<double> values) const {
  const bool is_known = case_.stream_function(points, time, values);
  if (is_known) look_at(points, values);
  return is_known;
}

bool CheckedCase::exact_displacement(Points points, double time, double tau,
                                     Vectors displacement) const {
  const bool is_known = case_.exact_displacement(points, time, tau, displacement);
  if (is_known) {
    look_at(points, displacement.x);
    look_at(points, displacement.y);
  }
  return is_known;
}

}  // namespace kumiko::amr
