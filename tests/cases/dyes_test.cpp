// Contract: LeVeque's three shapes, each a component with a name of its own.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {
namespace {

constexpr double kPi = std::numbers::pi;

std::unique_ptr<amr::Case> make() { return find_case("dyes")->make({}); }

double exact_at(const amr::Case& problem, int component, double x, double y, double time) {
  double value = -1.0;
  EXPECT_TRUE(problem.exact({{&x, 1}, {&y, 1}}, component, time, {&value, 1}));
  return value;
}

TEST(Dyes, GivenThreeThenTheyHaveNames) {
  const auto problem = make();
  EXPECT_EQ(problem->components(), 3);
  EXPECT_EQ(problem->component_names(), (std::vector<std::string>{"disk", "cone", "hump"}));
}

TEST(Dyes, GivenTheStartThenEachHasItsShapeAndNothingOfTheOthers) {
  const auto problem = make();
  const auto at = [&](int component, double x, double y) {
    return exact_at(*problem, component, x, y, 0.0);
  };
  EXPECT_EQ(at(0, 0.4, 0.75), 1.0);
  EXPECT_EQ(at(0, 0.5, 0.75), 0.0) << "in the slot";
  EXPECT_EQ(at(1, 0.5, 0.25), 1.0);
  EXPECT_NEAR(at(1, 0.56, 0.25), 0.6, 1e-14);
  EXPECT_EQ(at(1, 0.5, 0.41), 0.0);
  EXPECT_EQ(at(2, 0.25, 0.5), 0.5);
  EXPECT_NEAR(at(2, 0.25, 0.55), 0.25 * (1.0 + std::cos(kPi / 3.0)), 1e-14);
  EXPECT_NEAR(at(2, 0.41, 0.5), 0.0, 1e-15);
  EXPECT_EQ(at(0, 0.5, 0.25), 0.0);
  EXPECT_EQ(at(1, 0.25, 0.5), 0.0);
  EXPECT_NEAR(at(2, 0.4, 0.75), 0.0, 1e-15);
}

TEST(Dyes, GivenAQuarterTurnThenAllHaveTurned) {
  const auto problem = make();
  const double quarter = 0.5 * kPi;
  EXPECT_NEAR(exact_at(*problem, 1, 0.75, 0.5, quarter), 1.0, 1e-14);
  EXPECT_NEAR(exact_at(*problem, 2, 0.5, 0.25, quarter), 0.5, 1e-14);
  EXPECT_EQ(exact_at(*problem, 0, 0.25, 0.4, quarter), 1.0);
}

}  // namespace
}  // namespace kumiko::cases
