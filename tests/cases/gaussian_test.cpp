// Contract: a Gaussian that turns about the middle of the unit square, known at all times.
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

constexpr double kPi = std::numbers::pi;

std::unique_ptr<amr::Case> make(double sigma = 0.05, std::int64_t revolutions = 1) {
  const plugin::CaseFactory* const factory = plugin::find_case("gaussian");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("sigma", sigma);
  parameters.set("revolutions", revolutions);
  return factory->make(parameters);
}

double exact_at(const amr::Case& problem, double x, double y, double time) {
  double value = -1.0;
  EXPECT_TRUE(problem.exact({{&x, 1}, {&y, 1}}, 0, time, {&value, 1}));
  return value;
}

TEST(Gaussian, GivenDistancesFromTheMiddleThenItFallsByTheClosedForm) {
  const auto problem = make(0.1);
  const std::array<double, 3> x = {0.5, 0.6, 0.5};
  const std::array<double, 3> y = {0.75, 0.75, 0.55};
  std::array<double, 3> values;
  problem->initial({x, y}, 0, values);
  EXPECT_DOUBLE_EQ(values[0], 1.0);
  EXPECT_NEAR(values[1], std::exp(-0.5), 1e-15);
  EXPECT_NEAR(values[2], std::exp(-2.0), 1e-15);
}

TEST(Gaussian, GivenAQuarterTurnThenItsMiddleIsOnTheLeft) {
  const auto problem = make();
  EXPECT_NEAR(exact_at(*problem, 0.25, 0.5, 0.5 * kPi), 1.0, 1e-12);
  EXPECT_NEAR(exact_at(*problem, 0.25, 0.55, 0.5 * kPi), std::exp(-0.5), 1e-12);
}

TEST(Gaussian, GivenWholeTurnsThenTheExactSolutionIsTheInitialOneToTheBit) {
  const auto problem = make(0.05, 10);
  EXPECT_DOUBLE_EQ(problem->end_time(), 20.0 * kPi);
  for (double x = 0.0; x < 1.0; x += 1.0 / 16) {
    for (double y = 0.0; y < 1.0; y += 1.0 / 16) {
      double initial = -1.0;
      problem->initial({{&x, 1}, {&y, 1}}, 0, {&initial, 1});
      ASSERT_EQ(exact_at(*problem, x, y, problem->end_time()), initial);
    }
  }
}

TEST(Gaussian, GivenAnyTimeThenTheExactSolutionIsConstantAlongTheExactTrajectories) {
  const auto problem = make();
  const double tau = 0.7;
  for (const double time : {0.8, 2.5, 6.0}) {
    for (double x = 0.05; x < 1.0; x += 0.1) {
      for (double y = 0.05; y < 1.0; y += 0.1) {
        double dx = 0.0;
        double dy = 0.0;
        ASSERT_TRUE(
            problem->exact_displacement({{&x, 1}, {&y, 1}}, time, tau, {{&dx, 1}, {&dy, 1}}));
        ASSERT_NEAR(exact_at(*problem, x, y, time), exact_at(*problem, x + dx, y + dy, time - tau),
                    1e-13);
      }
    }
  }
}

TEST(Gaussian, GivenShortTimesThenTheTrajectoriesFollowTheVelocity) {
  const auto problem = make();
  const double tau = 1e-6;
  const double x = 0.9;
  const double y = 0.3;
  double vx = 0.0;
  double vy = 0.0;
  double dx = 0.0;
  double dy = 0.0;
  problem->velocity({{&x, 1}, {&y, 1}}, 0.0, {{&vx, 1}, {&vy, 1}});
  EXPECT_DOUBLE_EQ(vx, 0.2);
  EXPECT_DOUBLE_EQ(vy, 0.4);
  ASSERT_TRUE(problem->exact_displacement({{&x, 1}, {&y, 1}}, 0.0, tau, {{&dx, 1}, {&dy, 1}}));
  EXPECT_NEAR(dx / tau, -vx, 1e-6);
  EXPECT_NEAR(dy / tau, -vy, 1e-6);
}

}  // namespace
}  // namespace kumiko::cases
