// Contract: departure points by the chosen scheme, values there by the chosen interpolation; the
// CFL number is the largest displacement in units of the spacing.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

#include "patch_run.hpp"

namespace kumiko::solvers {
namespace {

std::unique_ptr<amr::Solver> make(const std::string& departure) {
  return test::make("semi_lagrangian_cubic", "departure", departure);
}

struct Point {
  double x;
  double y;
};

/// Displacement over tau of the particle that is at (0.9, 0.6) in Zalesak's rotation.
Point displacement(const std::string& departure, double tau) {
  const auto problem = plugin::find_case("zalesak")->make({});
  const std::array<double, 1> x = {0.9};
  const std::array<double, 1> y = {0.6};
  std::array<double, 1> dx;
  std::array<double, 1> dy;
  make(departure)->displacement(*problem, {x, y}, 1.0, tau, {dx, dy});
  return {dx[0], dy[0]};
}

double departure_error(const std::string& departure, double tau) {
  // Rotating (0.4, 0.1) by -tau.
  const double x = 0.4 * std::cos(tau) + 0.1 * std::sin(tau) - 0.4;
  const double y = 0.1 * std::cos(tau) - 0.4 * std::sin(tau) - 0.1;
  const Point found = displacement(departure, tau);
  return std::hypot(found.x - x, found.y - y);
}

TEST(Departure, GivenRotationThenTheLocalErrorsFallAtTheSchemesOrders) {
  EXPECT_NEAR(
      std::log2(departure_error("first_order", 0.02) / departure_error("first_order", 0.01)), 2.0,
      0.05);
  EXPECT_NEAR(
      std::log2(departure_error("second_order", 0.02) / departure_error("second_order", 0.01)), 3.0,
      0.05);
  EXPECT_LT(departure_error("exact", 0.5), 1e-15);
}

TEST(Departure, GivenFirstOrderThenTheDisplacementIsMinusVelocityTimesTau) {
  const Point found = displacement("first_order", 0.25);
  EXPECT_DOUBLE_EQ(found.x, 0.25 * (0.6 - 0.5));
  EXPECT_DOUBLE_EQ(found.y, -0.25 * (0.9 - 0.5));
}

TEST(Prepare, GivenAPatchThenTheCflNumberIsItsLargestDisplacement) {
  const auto problem = plugin::find_case("zalesak")->make({});
  const auto solver = make("first_order");
  std::vector<double> x(amr::kPatchPoints);
  std::vector<double> y(amr::kPatchPoints);
  for (std::size_t at = 0; at < x.size(); ++at) {
    x[at] = static_cast<double>(at % 16) / 256.0;
    y[at] = static_cast<double>(at / 16) / 256.0;
  }
  std::vector<double> coefficients(solver->coefficients());
  const double dt = 2.0 * std::numbers::pi / 2560;
  const double cfl = solver->prepare(*problem, {{x, y}, 1.0 / 256}, 0.0, dt, coefficients);
  EXPECT_NEAR(cfl, 0.5 * dt * 256, 1e-15);
}

/// What a uniform wind carries over a periodic square: a product of sines, or a disk.
struct Drift : amr::Case {
  bool disk = false;
  double end_time() const override { return 1.0; }
  amr::Boundaries boundaries() const override {
    return {amr::BoundaryKind::kPeriodic, amr::BoundaryKind::kPeriodic, 0.0};
  }
  bool steady_velocity() const override { return true; }
  void velocity(amr::Points, double, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), 0.9);
    std::fill(velocity.y.begin(), velocity.y.end(), -0.7);
  }
  void initial(amr::Points points, int component, std::span<double> values) const override {
    exact(points, component, 0.0, values);
  }
  bool exact(amr::Points points, int, double time, std::span<double> values) const override {
    constexpr double kTwoPi = 2.0 * std::numbers::pi;
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double x = points.x[at] - 0.9 * time;
      const double y = points.y[at] + 0.7 * time;
      values[at] = disk ? (std::hypot(x - 0.5, y - 0.5) < 0.25 ? 1.0 : 0.0)
                        : std::sin(kTwoPi * x) * std::sin(kTwoPi * y);
    }
    return true;
  }
};

/// A wind that grows with time, the same everywhere.
struct RisingWind : Drift {
  bool steady_velocity() const override { return false; }
  void velocity(amr::Points, double time, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), time);
    std::fill(velocity.y.begin(), velocity.y.end(), -2.0 * time);
  }
};

TEST(Departure, GivenAWindThatRisesThenItIsTakenAtTheStartOfTheStepOrInItsMiddle) {
  const std::array<double, 1> at = {0.5};
  for (const auto& [departure, time] : {std::pair{"first_order", 0.75}, {"second_order", 0.875}}) {
    std::array<double, 1> dx;
    std::array<double, 1> dy;
    make(departure)->displacement(RisingWind(), {at, at}, 1.0, 0.25, {dx, dy});
    EXPECT_DOUBLE_EQ(dx[0], -0.25 * time) << departure;
    EXPECT_DOUBLE_EQ(dy[0], 0.5 * time) << departure;
  }
}

amr::SimulationOptions options(int n, int steps, int levels) {
  amr::SimulationOptions result;
  result.points_x = n;
  result.points_y = n;
  result.levels = levels;
  result.steps = steps;
  return result;
}

double drift_error(const amr::Solver& solver, int n) {
  const Drift problem;
  const auto backend = amr::make_backend("serial", 1);
  const int steps = 3 * n / 2;
  amr::Simulation run(problem, solver, *backend, options(n, steps, 1));
  run.advance(steps / 2);
  return amr::error_norms(run.hierarchy(), problem, run.time(), *backend)->rms;
}

TEST(Interpolation, GivenASmoothFieldThenTheOrderIsTheOneThatTheTraitsName) {
  for (const auto& [name, order, ghosts] :
       {std::tuple{"cubic", 3.0, 2}, std::tuple{"quintic", 5.0, 3}}) {
    const auto solver = test::make("semi_lagrangian_cubic", "interpolation", name);
    EXPECT_EQ(solver->traits().order, order);
    EXPECT_EQ(solver->traits().ghosts, ghosts);
    EXPECT_NEAR(std::log2(drift_error(*solver, 32) / drift_error(*solver, 64)), order, 0.15);
  }
}

TEST(Interpolation, GivenQuinticOnSeveralLevelsThenAConstantStaysToTheBit) {
  struct Constant : Drift {
    void initial(amr::Points, int, std::span<double> values) const override {
      std::fill(values.begin(), values.end(), 0.1);
    }
    bool refinement_indicator(const amr::RefinementPatch& patch,
                              std::span<double> indicator) const override {
      for (std::size_t at = 0; at < indicator.size(); ++at) {
        indicator[at] = std::hypot(patch.points.x[at] - 0.5, patch.points.y[at] - 0.5) < 0.2;
      }
      return true;
    }
  };
  const Constant problem;
  const auto solver = test::make("semi_lagrangian_cubic", "interpolation", "quintic");
  const auto backend = amr::make_backend("threads", 2);
  amr::SimulationOptions mesh = options(64, 96, 3);
  mesh.refinement.criterion = amr::Criterion::kUser;
  mesh.refinement.threshold = 0.5;
  amr::Simulation run(problem, *solver, *backend, mesh);
  run.advance(8);
  EXPECT_GT(run.hierarchy().level(2).size(), 0U);
  const amr::FieldFigures figures = amr::field_figures(run.hierarchy(), *backend);
  EXPECT_EQ(figures.minimum, 0.1);
  EXPECT_EQ(figures.maximum, 0.1);
}

TEST(Monotone, GivenADiskThenOnlyClippingKeepsItWithinItsRange) {
  Drift problem;
  problem.disk = true;
  const auto backend = amr::make_backend("serial", 1);
  for (const char* interpolation : {"cubic", "quintic"}) {
    for (const char* monotone : {"none", "quasi"}) {
      const plugin::SolverFactory* const factory = plugin::find_solver("semi_lagrangian_cubic");
      amr::ParameterSet parameters = amr::defaults(factory->parameters);
      parameters.set("interpolation", std::string(interpolation));
      parameters.set("monotone", std::string(monotone));
      const auto solver = factory->make(parameters);
      amr::Simulation run(problem, *solver, *backend, options(64, 96, 1));
      run.advance(96);
      const amr::FieldFigures figures = amr::field_figures(run.hierarchy(), *backend);
      const bool within = figures.minimum >= 0.0 && figures.maximum <= 1.0;
      EXPECT_EQ(within, std::string(monotone) == "quasi") << interpolation << ' ' << monotone;
    }
  }
}

TEST(Parameters, GivenAChoiceThatNobodyKnowsThenItIsRefused) {
  for (const char* parameter : {"departure", "interpolation", "monotone"}) {
    EXPECT_THROW(test::make("semi_lagrangian_cubic", parameter, "septic"), std::invalid_argument);
  }
}

TEST(Registry, GivenNamesThenSolversAreFoundAndDescribeTheirParameters) {
  const plugin::SolverFactory* factory = plugin::find_solver("semi_lagrangian_cubic");
  ASSERT_NE(factory, nullptr);
  ASSERT_EQ(factory->parameters.size(), 3U);
  EXPECT_EQ(factory->parameters[0].choices,
            (std::vector<std::string>{"first_order", "second_order", "exact"}));
  EXPECT_EQ(factory->parameters[1].choices, (std::vector<std::string>{"cubic", "quintic"}));
  EXPECT_EQ(factory->parameters[2].choices, (std::vector<std::string>{"none", "quasi"}));
  EXPECT_EQ(plugin::find_solver("semi"), nullptr);
}

}  // namespace
}  // namespace kumiko::solvers
