// Contract: prolongation reproduces cubics, restriction is injection, interpolation is Lagrange's.
#include "transfer.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "cubic.hpp"

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
};

/// Values on even integers when x, y count half spacings: every coefficient is an integer there.
double integer_cubic(int x, int y) {
  const auto p = [](int s) { return 1.0 * s * s * s - 5.0 * s * s + 3.0 * s - 7.0; };
  return p(x) * p(y);
}

TEST(Prolongation, GivenAnIntegerValuedCubicThenItIsReproducedExactly) {
  TestPatch parent;
  TestPatch child;
  parent.fill([](int i, int j) { return integer_cubic(2 * i, 2 * j); });
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    prolong(parent.view, quadrant, child.view);
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        ASSERT_EQ(child.view(i, j),
                  integer_cubic(kPatchSize * (quadrant & 1) + i, kPatchSize * (quadrant >> 1) + j))
            << "quadrant " << quadrant << " point (" << i << ", " << j << ")";
      }
    }
  }
}

TEST(Restriction, GivenAProlongedChildThenInjectionReturnsTheParent) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  TestPatch parent;
  TestPatch child;
  TestPatch back;
  parent.fill([&](int, int) { return uniform(random); });
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    prolong(parent.view, quadrant, child.view);
    restrict_onto(child.view, quadrant, back.view);
  }
  EXPECT_TRUE((parent.view.interior() == back.view.interior()).all());
}

TEST(Interpolation, GivenRandomDataThenItIsLagrangesFormula) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  TestPatch patch;
  patch.fill([&](int, int) { return uniform(random); });
  const auto basis = [](int node, double f) {
    double weight = 1.0;
    for (int other = -1; other <= 2; ++other) {
      if (other != node) weight *= (f - other) / (node - other);
    }
    return weight;
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const double x = 0.5 * (uniform(random) + 1.0) * 17.0 - 1.0;
    const double y = 0.5 * (uniform(random) + 1.0) * 17.0 - 1.0;
    const int i = static_cast<int>(std::floor(x));
    const int j = static_cast<int>(std::floor(y));
    double expected = 0.0;
    for (int n = -1; n <= 2; ++n) {
      for (int m = -1; m <= 2; ++m) {
        expected += basis(m, x - i) * basis(n, y - j) * patch.view(i + m, j + n);
      }
    }
    ASSERT_NEAR(interpolate(patch.view, 0, x, y), expected, 4e-15);
  }
}

TEST(Interpolation, GivenHalfPointsThenTheFixedWeightsAgreeWithTheGeneralOnes) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  TestPatch patch;
  patch.fill([&](int, int) { return uniform(random); });
  for (int j2 = -2; j2 <= 31; ++j2) {
    for (int i2 = -2; i2 <= 31; ++i2) {
      ASSERT_NEAR(interpolate_half(patch.view, 0, i2, j2),
                  interpolate(patch.view, 0, 0.5 * i2, 0.5 * j2), 4e-15);
    }
  }
}

}  // namespace
}  // namespace kumiko::amr
