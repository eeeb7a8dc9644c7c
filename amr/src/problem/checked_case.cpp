#include "problem/checked_case.hpp"

#include <bit>
#include <cstdint>

namespace kumiko::amr {

namespace {

// The exponent's bits in a double, and the lowest of them.
constexpr std::uint64_t kExponent = 0x7FF0'0000'0000'0000;
constexpr std::uint64_t kLowestOfExponent = 0x0010'0000'0000'0000;

}  // namespace

bool are_finite(std::span<const double> values) {
  // All bits of the exponent are set in infinities and NaN only: one more then carries into the
  // sign, which the mask has cleared.
  std::uint64_t carries = 0;
  for (const double value : values) {
    carries |= (std::bit_cast<std::uint64_t>(value) & kExponent) + kLowestOfExponent;
  }
  return (carries >> 63) == 0;
}

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
