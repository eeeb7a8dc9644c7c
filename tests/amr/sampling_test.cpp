// Contract: nodes take a field's values, cells its averages; coordinates are the nodes' or the
// centres'.
#include "transfer/sampling.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

Geometry unit_square(Centring centring) { return {32, 32, {1.0, 1.0}, {}, centring}; }

FieldFunction field_of(double (*f)(double, double)) {
  return [f](Points points, std::span<double> values) {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = f(points.x[at], points.y[at]);
    return true;
  };
}

TEST(Coordinates, GivenCellsThenTheyLieHalfASpacingBeyondTheNodes) {
  const Geometry cells = unit_square(Centring::kCell);
  const Geometry nodes = unit_square(Centring::kNode);
  EXPECT_EQ(nodes.coordinate(0, 5), 5.0 / 32);
  EXPECT_EQ(cells.coordinate(0, 5), 5.5 / 32);
  EXPECT_EQ(cells.coordinate(1, -1), -0.5 / 64);
  EXPECT_EQ(0.5 * (cells.coordinate(2, 20) + cells.coordinate(2, 21)), cells.coordinate(1, 10));
}

TEST(Sampling, GivenNodesThenTheyHoldTheFieldsValues) {
  std::array<double, kPatchPoints> values;
  ASSERT_TRUE(sample_patch(unit_square(Centring::kNode), {1, 1, 2},
                           field_of([](double x, double y) { return x + 8.0 * y; }), values));
  EXPECT_EQ(values[16 * 3 + 5], (21.0 + 8.0 * 35.0) / 64);
}

TEST(Sampling, GivenCellsThenAPolynomialsAveragesAreExact) {
  std::array<double, kPatchPoints> values;
  ASSERT_TRUE(sample_patch(
      unit_square(Centring::kCell), {0, 1, 0},
      field_of([](double x, double y) { return std::pow(x, 7) * (1.0 - std::pow(y, 6)); }),
      values));
  const auto mean = [](int n, int i) {
    const double h = 1.0 / 32;
    return (std::pow((i + 1) * h, n + 1) - std::pow(i * h, n + 1)) / ((n + 1) * h);
  };
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) {
      const double expected = mean(7, kPatchSize + i) * (1.0 - mean(6, j));
      ASSERT_NEAR(values[static_cast<std::size_t>(j * kPatchSize + i)], expected, 1e-15);
    }
  }
}

TEST(Sampling, GivenCellsAndAConstantThenItIsKeptToTheBit) {
  std::array<double, kPatchPoints> values;
  ASSERT_TRUE(sample_patch(unit_square(Centring::kCell), {0, 0, 0},
                           field_of([](double, double) { return 0.7; }), values));
  for (const double value : values) ASSERT_EQ(value, 0.7);
}

TEST(Sampling, GivenNoFieldThenThereAreNoValues) {
  std::array<double, kPatchPoints> values;
  const FieldFunction none = [](Points, std::span<double>) { return false; };
  EXPECT_FALSE(sample_patch(unit_square(Centring::kCell), {0, 0, 0}, none, values));
  EXPECT_FALSE(sample_patch(unit_square(Centring::kNode), {0, 0, 0}, none, values));
}

/// A case whose exact solution is its initial data.
struct Standing : test::FunctionCase {
  bool exact(Points points, int component, double, std::span<double> values) const override {
    initial(points, component, values);
    return true;
  }
};

TEST(ErrorNorms, GivenExactAveragesInCellsThenTheErrorVanishes) {
  Standing problem;
  problem.u = [](double x, double y) { return x * x * x * y * y; };
  const PatchShape shape{1, 2, 0};
  Hierarchy hierarchy(unit_square(Centring::kCell), 1, shape);
  const auto mean = [](int n, int i) {
    const double h = 1.0 / 32;
    return (std::pow((i + 1) * h, n + 1) - std::pow(i * h, n + 1)) / ((n + 1) * h);
  };
  Level& level = hierarchy.level(0);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    Patch& patch = level.patch(slot);
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        patch.now()(i, j) =
            mean(3, patch.id().i * kPatchSize + i) * mean(2, patch.id().j * kPatchSize + j);
      }
    }
  }
  const auto backend = make_backend("serial", 1);
  EXPECT_LE(error_norms(hierarchy, problem, 0.0, *backend)->linf, 1e-14);
}

}  // namespace
}  // namespace kumiko::amr
