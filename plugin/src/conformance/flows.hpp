// The cases that the conformance checks use: flows of the whole plane.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <kumiko/amr/case.hpp>

namespace kumiko::plugin::conformance {

/// A divergence-free flow with its stream function, and a field to carry; on a periodic unit square
/// for whole runs.
class Flow final : public amr::Case {
 public:
  using Function = std::function<double(double x, double y, double time)>;
  using Field = std::function<double(double x, double y, int component)>;

  std::string name;
  Function psi;
  Function vx;  ///< ∂ψ/∂y
  Function vy;  ///< -∂ψ/∂x
  bool steady = true;
  /// The factor of a separable flow; empty in others.
  std::function<double(double time)> factor = {};
  /// Whether the velocity is the same on both sides of a seam of the unit square.
  bool periodic = true;

  double duration = 1.0;
  int field_components = 1;
  Field field = [](double, double, int) { return 0.0; };
  /// The first component at all times; empty = not known.
  Function solution = {};
  amr::Boundaries sides{amr::BoundaryKind::kPeriodic, amr::BoundaryKind::kPeriodic, 0.0};

  double end_time() const override { return duration; }
  amr::Boundaries boundaries() const override { return sides; }
  int components() const override { return field_components; }
  bool steady_velocity() const override { return steady; }
  std::optional<double> velocity_factor(double time) const override {
    if (!factor) return std::nullopt;
    return factor(time);
  }
  void initial(amr::Points points, int component, std::span<double> values) const override {
    evaluate(points, values, [&](double x, double y) { return field(x, y, component); });
  }
  void velocity(amr::Points points, double time, amr::Vectors velocity) const override {
    evaluate(points, velocity, [&](double x, double y) {
      return std::array{vx(x, y, time), vy(x, y, time)};
    });
  }
  bool stream_function(amr::Points points, double time, std::span<double> values) const override {
    return evaluate(points, values, [&](double x, double y) { return psi(x, y, time); });
  }
  /// Follows the flow back by Runge and Kutta's method, in steps so small that only round-off is
  /// left.
  bool exact_displacement(amr::Points points, double time, double tau,
                          amr::Vectors displacement) const override;
  bool exact(amr::Points points, int component, double time,
             std::span<double> values) const override {
    if (!solution || component > 0) return false;
    return evaluate(points, values, [&](double x, double y) { return solution(x, y, time); });
  }
};

Flow constant_flow(double vx, double vy);
/// A rotation about a point, anticlockwise, by one radian in a unit of time.
Flow rotation(double centre_x, double centre_y);
/// Vortices of period 1 each way on a constant flow.
Flow vortices();
/// Vortices of period 1 on a constant flow whose strength changes in time.
Flow unsteady_vortices();

/// Vortices of period 1 whose strength changes in time, as its factor says.
Flow pulsing_vortices();

/// The flow with x and y exchanged.
Flow transposed(const Flow& flow);
/// The mirror images about the lines x = centre and y = centre.
Flow mirrored_x(const Flow& flow, double centre);
Flow mirrored_y(const Flow& flow, double centre);

/// Flows along all four diagonals, around a point, and through vortices, steady and unsteady.
std::vector<Flow> flows_around(double centre_x, double centre_y);

}  // namespace kumiko::plugin::conformance
