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
  /// What initial() has where the points were at the start; after whole turns initial() itself, for
  /// no rounding may move points across an edge.
  bool exact(amr::Points points, int component, double time,
             std::span<double> values) const override;
};

/// The angle by which everything has turned at a time, in (-π, π]; exactly 0 after whole turns, up
/// to 1e-9: they bring the nodes back onto themselves.
double rotation_angle(double time);

}  // namespace kumiko::cases
