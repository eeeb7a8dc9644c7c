// Solid rotation about the middle of the unit square, one revolution in 2π: what the cases that
// turn share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include <kumiko/amr/case.hpp>

namespace kumiko::cases {

inline constexpr double kRotationCentre = 0.5;  ///< in x and y
inline constexpr double kRevolution = 2.0 * std::numbers::pi;

/// The angle by which everything has turned at a time, in (-π, π]; exactly 0 after whole turns, up
/// to 1e-9: they bring the nodes back onto themselves.
inline double rotation_angle(double time) {
  const double turns = time / kRevolution;
  const double angle = kRevolution * (turns - std::round(turns));
  return std::abs(angle) < 1e-9 ? 0.0 : angle;
}

/// A case whose velocity is (-(y - 0.5), x - 0.5), with what is known of it.
class SolidRotation : public amr::Case {
 public:
  void velocity(amr::Points points, double, amr::Vectors velocity) const override {
    evaluate(points, velocity, [](double x, double y) {
      return std::array{-(y - kRotationCentre), x - kRotationCentre};
    });
  }

  /// -r² / 2 with r the distance from the middle.
  bool stream_function(amr::Points points, double, std::span<double> values) const override {
    return evaluate(points, values, [](double x, double y) {
      const double dx = x - kRotationCentre;
      const double dy = y - kRotationCentre;
      return -0.5 * (dx * dx + dy * dy);
    });
  }

  bool steady_velocity() const override { return true; }

  bool exact_displacement(amr::Points points, double, double tau,
                          amr::Vectors displacement) const override {
    // 1 - cos τ without cancellation.
    const double half = std::sin(0.5 * tau);
    const double versine = 2.0 * half * half;
    const double sine = std::sin(tau);
    return evaluate(points, displacement, [=](double x, double y) {
      const double dx = x - kRotationCentre;
      const double dy = y - kRotationCentre;
      return std::array{sine * dy - versine * dx, -sine * dx - versine * dy};
    });
  }

  /// What initial() has where the points were at the start; after whole turns initial() itself, for
  /// no rounding may move points across an edge.
  bool exact(amr::Points points, int component, double time,
             std::span<double> values) const override {
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
      const amr::Points batch{points.x.subspan(first, count), points.y.subspan(first, count)};
      evaluate(batch, amr::Vectors{x, y}, [=](double x_now, double y_now) {
        const double dx = x_now - kRotationCentre;
        const double dy = y_now - kRotationCentre;
        return std::array{kRotationCentre + cosine * dx + sine * dy,
                          kRotationCentre - sine * dx + cosine * dy};
      });
      initial({{x.data(), count}, {y.data(), count}}, component, values.subspan(first, count));
    }
    return true;
  }
};

}  // namespace kumiko::cases
