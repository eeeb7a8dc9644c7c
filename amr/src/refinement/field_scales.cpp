#include "refinement/field_scales.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kumiko::amr {

namespace {

constexpr double kLeastOfItsOwn = 0x1p-20;
constexpr double kLeastOfAll = 0x1p-40;

void follow_one(FieldScale& scale, double magnitude) {
  double& now = scale.now;
  if (!std::isfinite(magnitude)) return;
  if (now == 0.0 && magnitude > 0.0) now = std::scalbn(1.0, std::ilogb(magnitude));
  while (now > 0.0 && magnitude >= 2.0 * now) now *= 2.0;
  while (magnitude < 0.25 * now && 0.5 * now >= kLeastOfItsOwn * scale.largest) now *= 0.5;
  scale.largest = std::max(scale.largest, now);
}

}  // namespace

void FieldScales::begin(std::span<const double> magnitudes) {
  scales_.clear();
  for (const double magnitude : shared(magnitudes)) scales_.push_back({magnitude, magnitude});
}

void FieldScales::follow(std::span<const double> magnitudes) {
  const std::vector<double> of_fields = shared(magnitudes);
  for (std::size_t component = 0; component < scales_.size(); ++component) {
    follow_one(scales_[component], of_fields[component]);
  }
}

/// The magnitudes, with that of a vector for its components.
std::vector<double> FieldScales::shared(std::span<const double> magnitudes) const {
  std::vector<double> all(magnitudes.begin(), magnitudes.end());
  for (const VectorComponents& vector : vectors_) {
    double& x = all[static_cast<std::size_t>(vector.x)];
    double& y = all[static_cast<std::size_t>(vector.y)];
    x = y = std::max(x, y);
  }
  return all;
}

double FieldScales::of(int component) const {
  double largest = 0.0;
  for (const FieldScale& scale : scales_) largest = std::max(largest, scale.now);
  return std::max(scales_[static_cast<std::size_t>(component)].now, kLeastOfAll * largest);
}

}  // namespace kumiko::amr
