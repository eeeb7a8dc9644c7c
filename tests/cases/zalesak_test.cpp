// Contract: the slotted disk and its rotation as docs/reference/numerics.md defines them.
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/plugin/registry.hpp>

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
  const auto problem = plugin::find_case("zalesak")->make({});
  EXPECT_EQ(initial_at(*problem, 0.40, 0.75), 1.0);
  EXPECT_EQ(initial_at(*problem, 0.50, 0.75), 0.0) << "in the slot";
  EXPECT_EQ(initial_at(*problem, 0.50, 0.86), 1.0) << "above the slot";
  EXPECT_EQ(initial_at(*problem, 0.50, 0.50), 0.0) << "below the disk";
  EXPECT_EQ(initial_at(*problem, 0.525, 0.75), 1.0) << "the slot is open at its sides";
  EXPECT_EQ(initial_at(*problem, 0.50, 0.85), 1.0) << "and at its top";
}

TEST(Zalesak, GivenWholeAndHalfTurnsThenTheExactSolutionComesRoundAgain) {
  const auto problem = plugin::find_case("zalesak")->make({});
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
  const auto problem = plugin::find_case("zalesak")->make({});
  const double quarter = std::numbers::pi / 2;
  EXPECT_EQ(exact_at(*problem, 0.25, 0.40, quarter), 1.0);
  EXPECT_EQ(exact_at(*problem, 0.25, 0.50, quarter), 0.0) << "in the slot";
  EXPECT_EQ(exact_at(*problem, 0.50, 0.75, quarter), 0.0);
}

std::unique_ptr<amr::Case> variant(const std::string& name) {
  amr::ParameterSet parameters;
  parameters.set("variant", name);
  return plugin::find_case("zalesak")->make(parameters);
}

/// Area by a fine sample of the unit square, of a disk less its slot by the closed form.
double sampled_area(const amr::Case& problem) {
  constexpr int kPoints = 1000;
  double area = 0.0;
  for (int j = 0; j < kPoints; ++j) {
    for (int i = 0; i < kPoints; ++i) {
      area += initial_at(problem, (i + 0.5) / kPoints, (j + 0.5) / kPoints);
    }
  }
  return area / (kPoints * kPoints);
}

/// \param above_middle  how far the slot reaches above the disk's middle
double slotted_area(double radius, double half_slot, double above_middle) {
  const double chord = half_slot * std::sqrt(radius * radius - half_slot * half_slot) +
                       radius * radius * std::asin(half_slot / radius);
  return std::numbers::pi * radius * radius - (2 * half_slot * above_middle + chord);
}

TEST(Zalesak, GivenAFineSampleThenTheAreaIsTheClosedForm) {
  EXPECT_NEAR(sampled_area(*plugin::find_case("zalesak")->make({})), slotted_area(0.15, 0.025, 0.1),
              2e-4);
}

TEST(Zalesak, GivenTheVariantsThenTheirGridsHaveTheLiteraturesSpacing) {
  EXPECT_EQ(variant("thesis")->extent().x, 1.0);
  EXPECT_DOUBLE_EQ(variant("zalesak1979")->extent().x / 112, 1.0 / 100);
  EXPECT_DOUBLE_EQ(variant("vof200")->extent().y / 208, 1.0 / 200);
}

TEST(Zalesak, GivenZalesaksVariantThenItsDiskIsTheThesiss) {
  const auto zalesak = variant("zalesak1979");
  const auto thesis = variant("thesis");
  for (double y = 0.005; y < 1.0; y += 0.01) {
    for (double x = 0.005; x < 1.0; x += 0.01) {
      ASSERT_EQ(initial_at(*zalesak, x, y), initial_at(*thesis, x, y)) << x << " " << y;
    }
  }
  EXPECT_TRUE(zalesak->published_values().empty());
}

TEST(Zalesak, GivenTheVofVariantThenTheSlotIsSixByThirtyCellsOfTwoHundred) {
  const auto problem = variant("vof200");
  // Ten samples a cell, across the slot at the disk's middle and down it.
  const double step = 1.0 / 2000;
  int width = 0;
  int depth = 0;
  for (int sample = 0; sample < 2000; ++sample) {
    const double at = (sample + 0.5) * step;
    const bool is_in_disk = at > 0.5625 && at < 0.8125;
    width += std::abs(at - 0.5) < 0.05 && initial_at(*problem, at, 0.6875) == 0.0 ? 1 : 0;
    depth += is_in_disk && initial_at(*problem, 0.5, at) == 0.0 ? 1 : 0;
  }
  EXPECT_EQ(width, 60);
  EXPECT_EQ(depth, 300);
  EXPECT_NEAR(sampled_area(*problem), slotted_area(0.125, 0.015, 0.025), 2e-4);
}

TEST(Zalesak, GivenTheVofVariantThenItsPublishedErrorsNameNormAndGrid) {
  const auto values = variant("vof200")->published_values();
  ASSERT_FALSE(values.empty());
  EXPECT_EQ(values.front().name, "SLIC");
  EXPECT_EQ(values.front().value, 8.38e-2);
  EXPECT_EQ(values.front().norm, "l1_relative");
  EXPECT_EQ(values.front().points, 200);
}

TEST(Zalesak, GivenTheThesisThenItsErrorsAreNamed) {
  const auto values = plugin::find_case("zalesak")->make({})->published_values();
  ASSERT_EQ(values.size(), 7U);
  EXPECT_EQ(values[1].name, "rms.amr");
  EXPECT_EQ(values[1].value, 4.114e-2);
}

}  // namespace
}  // namespace kumiko::cases
