// Three dyes in one flow.
#include <cmath>

#include <kumiko/plugin/plugin.hpp>

#include "sine_forms.hpp"
#include "slotted_disk.hpp"
#include "solid_rotation.hpp"

namespace kumiko::cases {

namespace {

using amr::Points;

constexpr double kRadius = 0.15;

/// Distance from (x0, y0) in radii, 1 at most.
double radii(double x, double y, double x0, double y0) {
  const double dx = x - x0;
  const double dy = y - y0;
  return std::fmin(std::sqrt(dx * dx + dy * dy) / kRadius, 1.0);
}

double shape(int component, double x, double y) {
  if (component == 0) return kZalesaksDisk.at(x, y);
  if (component == 1) return 1.0 - radii(x, y, 0.5, 0.25);
  return 0.25 * (1.0 + sine_forms(0.5 * radii(x, y, 0.25, 0.5)).cosine());
}

/// Unit square, three components turned by the velocity (-(y - 0.5), x - 0.5) through one
/// revolution of 2π; 0 outside. Each is one of the shapes of LeVeque 1996, SIAM J. Numer. Anal. 33,
/// of radius r₀ = 0.15:
///
/// - disk: 1 within r₀ of (0.5, 0.75) less a slot 0.05 wide up to y = 0.85;
/// - cone: 1 - r/r₀ about (0.5, 0.25);
/// - hump: (1 + cos(πr/r₀)) / 4 about (0.25, 0.5).
///
/// The solution is known at all times.
class Dyes final : public SolidRotation {
 public:
  static amr::Description describe() {
    return {"dyes", "three dyes, a slotted disk, a cone and a hump, in solid rotation", {}};
  }

  explicit Dyes(const amr::ParameterSet&) {}

  int components() const override { return 3; }
  std::vector<std::string> component_names() const override { return {"disk", "cone", "hump"}; }
  double end_time() const override { return kRevolution; }

  void initial(Points points, int component, std::span<double> values) const override {
    evaluate(points, values, [=](double x, double y) { return shape(component, x, y); });
  }
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Dyes)
