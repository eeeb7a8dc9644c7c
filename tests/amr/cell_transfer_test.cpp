// Contract: between levels cell averages keep their sums, constants and polynomials, whatever the
// centring of the other transfer operators.
#include "transfer/cell_transfer.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::amr {
namespace {

/// A patch of its own, two ghost layers.
struct TestPatch {
  std::vector<double> values = std::vector<double>(PatchView::size(1, 2));
  PatchView view{values.data(), 1, 2};

  template <class F>
  void fill(F f) {
    for (int j = -2; j < kPatchSize + 2; ++j) {
      for (int i = -2; i < kPatchSize + 2; ++i) view(i, j) = f(i, j);
    }
  }
  void fill_at_random(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    fill([&](int, int) { return uniform(random); });
  }
};

/// Mean of s^n over [a, b].
double mean_of_power(int n, double a, double b) {
  return (std::pow(b, n + 1) - std::pow(a, n + 1)) / ((n + 1) * (b - a));
}

/// Mean over the cell [i, i + 1] × [j, j + 1], in units of h, of a polynomial of degree 4 each way.
double mean_of_quartic(double i, double j, double h) {
  const auto p = [&](double k, double c) {
    double sum = 0.0;
    for (int n = 0; n <= 4; ++n) {
      sum += (c - 0.3 * n) * std::pow(0.1, n) * mean_of_power(n, k * h, (k + 1) * h);
    }
    return sum;
  };
  return p(i, 1.0) * p(j, -2.0);
}

TEST(CellProlongation, GivenAveragesOfAQuarticThenTheChildrenHaveTheirs) {
  TestPatch parent;
  TestPatch child;
  parent.fill([](int i, int j) { return mean_of_quartic(i, j, 1.0); });
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    prolong_cells(parent.view, quadrant, child.view);
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        const double expected =
            mean_of_quartic(kPatchSize * (quadrant & 1) + i, kPatchSize * (quadrant >> 1) + j, 0.5);
        ASSERT_NEAR(child.view(i, j), expected, 2e-13 * (1.0 + std::abs(expected)))
            << "quadrant " << quadrant << " cell (" << i << ", " << j << ")";
      }
    }
  }
}

TEST(CellProlongation, GivenAConstantThenItIsKeptToTheBit) {
  TestPatch parent;
  TestPatch child;
  parent.fill([](int, int) { return 0.7; });
  prolong_cells(parent.view, 2, child.view);
  EXPECT_TRUE((child.view.interior() == 0.7).all());
}

TEST(CellProlongation, GivenAnyAveragesThenTheMeansOfTheChildrenAreThem) {
  TestPatch parent;
  TestPatch child;
  parent.fill_at_random(17);
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    prolong_cells(parent.view, quadrant, child.view);
    for (int j = 0; j < kQuadrantSize; ++j) {
      for (int i = 0; i < kQuadrantSize; ++i) {
        const double mean = 0.25 * child.view.interior().block<2, 2>(2 * j, 2 * i).sum();
        ASSERT_NEAR(
            mean,
            parent.view(kQuadrantSize * (quadrant & 1) + i, kQuadrantSize * (quadrant >> 1) + j),
            4e-16);
      }
    }
  }
}

TEST(CellInterpolation, GivenRangesWithOddEndsThenTheyArePartsOfTheWhole) {
  TestPatch parent;
  TestPatch child;
  parent.fill_at_random(19);
  prolong_cells(parent.view, 1, child.view);
  for (const PointRange& range : {PointRange{16, 19, 5, 12}, {21, 22, 0, 16}, {17, 32, 15, 16}}) {
    std::vector<double> part(static_cast<std::size_t>(kPatchPoints), std::nan(""));
    interpolate_cells(parent.view.origin(), parent.view.stride(), range, part.data(), kPatchSize);
    for (int j = range.j0; j < range.j1; ++j) {
      for (int i = range.i0; i < range.i1; ++i) {
        const auto at = static_cast<std::size_t>((j - range.j0) * kPatchSize + i - range.i0);
        ASSERT_EQ(part[at], child.view(i - kPatchSize, j)) << i << " " << j;
      }
    }
  }
}

TEST(CellInterpolation, GivenIndicesBelowZeroThenTheyAreChildrenOfTheCellsBelow) {
  TestPatch parent;
  parent.fill([](int i, int j) { return mean_of_quartic(i, j, 1.0); });
  std::vector<double> fine(4);
  interpolate_cells(&parent.view(2, 3), parent.view.stride(), {-1, 1, -1, 1}, fine.data(), 2);
  const double expected[] = {mean_of_quartic(3, 5, 0.5), mean_of_quartic(4, 5, 0.5),
                             mean_of_quartic(3, 6, 0.5), mean_of_quartic(4, 6, 0.5)};
  for (std::size_t at = 0; at < 4; ++at) EXPECT_NEAR(fine[at], expected[at], 1e-12);
}

TEST(CellRestriction, GivenAChildThenItsQuadrantHoldsTheMeansAndTheRestStays) {
  TestPatch child;
  TestPatch parent;
  child.fill([](int i, int j) { return i + 100.0 * j; });
  parent.fill([](int, int) { return -1.0; });
  restrict_cells(child.view, 2, parent.view);
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) {
      const bool covered = i < kQuadrantSize && j >= kQuadrantSize;
      const double mean = 2 * i + 0.5 + 100.0 * (2 * (j - kQuadrantSize) + 0.5);
      ASSERT_EQ(parent.view(i, j), covered ? mean : -1.0);
    }
  }
}

}  // namespace
}  // namespace kumiko::amr
