// Contract: the slotted disk and its rotation as docs/numerics.md defines them.
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/solvers/registry.hpp>

namespace kumiko::cases {
namespace {

double initial_at(const amr::Case& problem, double x, double y) {
  double value = -1.0;
  problem.initial({{&x, 1}, {&y, 1}}, 0, {&value, 1});
  return value;
}

double exact_at(const amr::Case& problem, double x, double y, double time) {
  double value = -1.0;
  EXPECT_TRUE(problem.exact({{&x, 1}, {&y, 1}}, 0, time, {&value, 1}));
  return value;
}

TEST(Zalesak, GivenPointsThenTheDiskHasItsSlot) {
  const auto problem = solvers::find_case("zalesak")->make({});
  EXPECT_EQ(initial_at(*problem, 0.40, 0.75), 1.0);
  EXPECT_EQ(initial_at(*problem, 0.50, 0.75), 0.0) << "in the slot";
  EXPECT_EQ(initial_at(*problem, 0.50, 0.86), 1.0) << "above the slot";
  EXPECT_EQ(initial_at(*problem, 0.50, 0.50), 0.0) << "below the disk";
  EXPECT_EQ(initial_at(*problem, 0.525, 0.75), 1.0) << "the slot is open at its sides";
  EXPECT_EQ(initial_at(*problem, 0.50, 0.85), 1.0) << "and at its top";
}

TEST(Zalesak, GivenAFineSampleThenTheAreaIsTheClosedForm) {
  const auto problem = solvers::find_case("zalesak")->make({});
  constexpr int kPoints = 1000;
  double area = 0.0;
  for (int j = 0; j < kPoints; ++j) {
    for (int i = 0; i < kPoints; ++i) {
      area += initial_at(*problem, (i + 0.5) / kPoints, (j + 0.5) / kPoints);
    }
  }
  area /= kPoints * kPoints;
  // Disk less the slot: ∫ over |s| < 0.025 of 0.1 + √(0.15² - s²).
  const double r = 0.15;
  const double w = 0.025;
  const double chord = w * std::sqrt(r * r - w * w) + r * r * std::asin(w / r);
  const double expected = std::numbers::pi * r * r - (2 * w * 0.1 + chord);
  EXPECT_NEAR(area, expected, 2e-4);
}

TEST(Zalesak, GivenWholeAndHalfTurnsThenTheExactSolutionComesRoundAgain) {
  const auto problem = solvers::find_case("zalesak")->make({});
  EXPECT_DOUBLE_EQ(problem->end_time(), 2.0 * std::numbers::pi);
  for (int j = 0; j < 64; ++j) {
    for (int i = 0; i < 64; ++i) {
      const double x = i / 64.0;
      const double y = j / 64.0;
      ASSERT_EQ(exact_at(*problem, x, y, problem->end_time()), initial_at(*problem, x, y));
      const double opposite = initial_at(*problem, 1.0 - x, 1.0 - y);
      ASSERT_EQ(exact_at(*problem, x, y, std::numbers::pi), opposite);
    }
  }
}

TEST(Zalesak, GivenAQuarterTurnThenTheDiskIsOnTheLeft) {
  const auto problem = solvers::find_case("zalesak")->make({});
  const double quarter = std::numbers::pi / 2;
  EXPECT_EQ(exact_at(*problem, 0.25, 0.40, quarter), 1.0);
  EXPECT_EQ(exact_at(*problem, 0.25, 0.50, quarter), 0.0) << "in the slot";
  EXPECT_EQ(exact_at(*problem, 0.50, 0.75, quarter), 0.0);
}

TEST(Zalesak, GivenTheThesisThenItsErrorsAreNamed) {
  const auto values = solvers::find_case("zalesak")->make({})->published_values();
  ASSERT_EQ(values.size(), 7U);
  EXPECT_EQ(values[1].name, "rms.amr");
  EXPECT_EQ(values[1].value, 4.114e-2);
}

}  // namespace
}  // namespace kumiko::cases
