// Periodic flows made of functions, for tests of solvers.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/simulation.hpp>

namespace kumiko::solvers {

inline constexpr double kTwoPi = 2.0 * std::numbers::pi;
using Function = std::function<double(double x, double y, double t)>;

/// A periodic case made of functions; without `psi` the velocity is (vx, vy).
struct Flow : amr::Case {
  Function u = [](double, double, double) { return 0.0; };  ///< exact, for all times
  Function psi;
  Function vx = [](double, double, double) { return 0.0; };
  Function vy = vx;
  double duration = 1.0;
  bool steady = true;
  amr::BoundaryKind kind = amr::BoundaryKind::kPeriodic;

  double end_time() const override { return duration; }
  amr::Boundaries boundaries() const override { return {kind, kind, 0.0}; }
  bool steady_velocity() const override { return steady; }
  void initial(amr::Points points, int, std::span<double> values) const override {
    evaluate(u, points, 0.0, values);
  }
  bool exact(amr::Points points, int, double time, std::span<double> values) const override {
    evaluate(u, points, time, values);
    return true;
  }
  void boundary_values(amr::Side, amr::Points points, int, double time,
                       std::span<double> values) const override {
    evaluate(u, points, time, values);
  }
  void velocity(amr::Points points, double time, amr::Vectors velocity) const override {
    evaluate(vx, points, time, velocity.x);
    evaluate(vy, points, time, velocity.y);
  }
  bool stream_function(amr::Points points, double time, std::span<double> values) const override {
    if (!psi) return false;
    evaluate(psi, points, time, values);
    return true;
  }
  static void evaluate(const Function& f, amr::Points points, double time,
                       std::span<double> values) {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = f(points.x[at], points.y[at], time);
    }
  }
};

/// Vortices with a wind across them.
inline double vortices(double x, double y, double) {
  return std::sin(kTwoPi * x) * std::cos(kTwoPi * y) / kTwoPi + 0.3 * y;
}

/// Values that depend on the cell of the level only: any patch sees the same.
inline double noise(int i, int j) {
  const auto seed = static_cast<unsigned>(7919 * i + 104729 * j + 1000000);
  return std::mt19937(seed)() / 4294967296.0;
}

/// A run on one level.
inline amr::SimulationOptions uniform(int n, int steps) {
  amr::SimulationOptions options;
  options.points_x = n;
  options.points_y = n;
  options.levels = 1;
  options.steps = steps;
  options.time_interpolation = amr::TimeInterpolation::kLinear;
  return options;
}

}  // namespace kumiko::solvers
