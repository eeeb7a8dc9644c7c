// A smooth Gaussian in solid rotation.
#include <cmath>

#include <kumiko/plugin/plugin.hpp>

#include "bell.hpp"
#include "solid_rotation.hpp"

namespace kumiko::cases {

namespace {

using amr::Points;

/// Unit square, u = exp(-r² / 2σ²) about (case.x, case.y), turned by the velocity
/// (-(y - 0.5), x - 0.5) through case.revolutions of 2π each; 0 outside. The exact solution, known
/// at all times, is that of the whole plane: it differs from the domain's by the tail that passes
/// the sides, 4e-6 of the height at most for the defaults.
class Gaussian final : public SolidRotation {
 public:
  static amr::Description describe() {
    return {"gaussian",
            "a smooth Gaussian in solid rotation, for orders of convergence",
            {{"sigma", 0.05, "standard deviation of the Gaussian", 1e-3, 1.0},
             {"x", 0.5, "x of the Gaussian's centre at the start", 0.0, 1.0},
             {"y", 0.75, "y of the Gaussian's centre at the start", 0.0, 1.0},
             {"revolutions", std::int64_t{1}, "revolutions that make up the whole run", 1, 1000}}};
  }

  explicit Gaussian(const amr::ParameterSet& parameters)
      : bell_{parameters.number("x"), parameters.number("y"), parameters.number("sigma")},
        revolutions_(static_cast<double>(parameters.integer("revolutions"))) {}

  double end_time() const override { return revolutions_ * kRevolution; }

  void initial(Points points, int, std::span<double> values) const override {
    bell_.sample(points, values);
  }

  bool exact(Points points, int, double time, std::span<double> values) const override {
    const double angle = rotation_angle(time);
    const double sine = std::sin(angle);
    const double cosine = std::cos(angle);
    const double dx = bell_.x - kRotationCentre;
    const double dy = bell_.y - kRotationCentre;
    const Bell turned{kRotationCentre + (cosine * dx - sine * dy),
                      kRotationCentre + (sine * dx + cosine * dy), bell_.sigma};
    turned.sample(points, values);
    return true;
  }

 private:
  Bell bell_;
  double revolutions_;
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Gaussian)
