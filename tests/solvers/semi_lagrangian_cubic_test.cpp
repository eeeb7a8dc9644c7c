// Contract: departure points by the chosen scheme; the CFL number is the largest displacement in
// units of the spacing.

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {
namespace {

std::unique_ptr<amr::Solver> make(const std::string& departure) {
  amr::ParameterSet parameters;
  parameters.set("departure", departure);
  return find_solver("semi_lagrangian_cubic")->make(parameters);
}

struct Point {
  double x;
  double y;
};

/// Displacement over tau of the particle that is at (0.9, 0.6) in Zalesak's rotation.
Point displacement(const std::string& departure, double tau) {
  const auto problem = solvers::find_case("zalesak")->make({});
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
  const auto problem = solvers::find_case("zalesak")->make({});
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

TEST(Registry, GivenNamesThenSolversAreFoundAndDescribeTheirParameters) {
  const SolverEntry* entry = find_solver("semi_lagrangian_cubic");
  ASSERT_NE(entry, nullptr);
  ASSERT_EQ(entry->parameters.size(), 1U);
  EXPECT_EQ(entry->parameters[0].choices,
            (std::vector<std::string>{"first_order", "second_order", "exact"}));
  EXPECT_EQ(find_solver("semi"), nullptr);
}

}  // namespace
}  // namespace kumiko::solvers
