// Solid rotation about the middle of the unit square, one revolution in 2π: what the cases that
// turn share.
#pragma once

#include <numbers>
#include <span>

#include <kumiko/amr/case.hpp>

namespace kumiko::cases {

inline constexpr double kRotationCentre = 0.5;  ///< in x and y
inline constexpr double kRevolution = 2.0 * std::numbers::pi;

/// A case whose velocity is (-(y - 0.5), x - 0.5), with what is known of it.
class SolidRotation : public amr::Case {
 public:
  void velocity(amr::Points points, double time, amr::Vectors velocity) const override;
  /// -r² / 2 with r the distance from the middle.
  bool stream_function(amr::Points points, double time, std::span<double> values) const override;
  bool steady_velocity() const override { return true; }
  /// Without cancellation for small tau.
  bool exact_displacement(amr::Points points, double time, double tau,
                          amr::Vectors displacement) const override;
};

/// The angle by which everything has turned at a time, in (-π, π]; exactly 0 after whole turns, up
/// to 1e-9: they bring the nodes back onto themselves.
double rotation_angle(double time);

/// Where a point of the plane was at the start, for angles other than 0: whole turns must bring
/// points back without rounding, which no arithmetic does.
class BackTurn {
 public:
  explicit BackTurn(double angle);

  double x(double x, double y) const {
    return kRotationCentre + cosine_ * (x - kRotationCentre) + sine_ * (y - kRotationCentre);
  }
  double y(double x, double y) const {
    return kRotationCentre - sine_ * (x - kRotationCentre) + cosine_ * (y - kRotationCentre);
  }

 private:
  double cosine_;
  double sine_;
};

}  // namespace kumiko::cases
