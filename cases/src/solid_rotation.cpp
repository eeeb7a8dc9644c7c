#include "solid_rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kumiko::cases {

void SolidRotation::velocity(amr::Points points, double, amr::Vectors velocity) const {
  for (std::size_t at = 0; at < points.size(); ++at) {
    velocity.x[at] = -(points.y[at] - kRotationCentre);
    velocity.y[at] = points.x[at] - kRotationCentre;
  }
}

bool SolidRotation::stream_function(amr::Points points, double, std::span<double> values) const {
  for (std::size_t at = 0; at < points.size(); ++at) {
    const double dx = points.x[at] - kRotationCentre;
    const double dy = points.y[at] - kRotationCentre;
    values[at] = -0.5 * (dx * dx + dy * dy);
  }
  return true;
}

bool SolidRotation::exact_displacement(amr::Points points, double, double tau,
                                       amr::Vectors displacement) const {
  // 1 - cos τ without cancellation.
  const double half = std::sin(0.5 * tau);
  const double versine = 2.0 * half * half;
  const double sine = std::sin(tau);
  for (std::size_t at = 0; at < points.size(); ++at) {
    const double dx = points.x[at] - kRotationCentre;
    const double dy = points.y[at] - kRotationCentre;
    displacement.x[at] = sine * dy - versine * dx;
    displacement.y[at] = -sine * dx - versine * dy;
  }
  return true;
}

bool SolidRotation::exact(amr::Points points, int component, double time,
                          std::span<double> values) const {
  const double angle = rotation_angle(time);
  if (angle == 0.0) {
    initial(points, component, values);
    return true;
  }
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  std::array<double, amr::kPatchPoints> x;
  std::array<double, amr::kPatchPoints> y;
  for (std::size_t first = 0; first < points.size(); first += x.size()) {
    const std::size_t count = std::min(x.size(), points.size() - first);
    for (std::size_t at = 0; at < count; ++at) {
      const double dx = points.x[first + at] - kRotationCentre;
      const double dy = points.y[first + at] - kRotationCentre;
      x[at] = kRotationCentre + cosine * dx + sine * dy;
      y[at] = kRotationCentre - sine * dx + cosine * dy;
    }
    initial({{x.data(), count}, {y.data(), count}}, component, values.subspan(first, count));
  }
  return true;
}

double rotation_angle(double time) {
  const double turns = time / kRevolution;
  const double angle = kRevolution * (turns - std::round(turns));
  return std::abs(angle) < 1e-9 ? 0.0 : angle;
}

}  // namespace kumiko::cases
