// Contract: prolongation reproduces cubics, restriction is injection, blocks are interpolated by
// Lagrange's formula.
#include "transfer/transfer.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "lagrange.hpp"
#include "transfer/cubic.hpp"

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

TEST(Interpolation, GivenBlocksOfAnyPlaceAndShapeThenTheyHoldLagrangesValues) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  TestPatch patch;
  patch.fill([&](int, int) { return uniform(random); });
  constexpr int kStride = 20;
  for (const HalfBlock block :
       {HalfBlock{0, 0, 16, 16}, HalfBlock{16, 16, 16, 16}, HalfBlock{14, -2, 2, 16},
        HalfBlock{-2, 30, 16, 2}, HalfBlock{30, 30, 2, 2}, HalfBlock{14, -1, 2, 15},
        HalfBlock{-1, 3, 5, 7}, HalfBlock{7, 15, 3, 16}, HalfBlock{4, 9, 1, 1}}) {
    std::vector<double> values(kStride * kPatchSize, 99.0);
    interpolate_block(patch.view, 0, block, values.data(), kStride);
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kStride; ++i) {
        const bool inside = i < block.width && j < block.height;
        const double expected =
            inside ? test::lagrange(patch.view, 0.5 * (block.i2 + i), 0.5 * (block.j2 + j)) : 99.0;
        ASSERT_NEAR(values[static_cast<std::size_t>(j * kStride + i)], expected, 4e-15)
            << block.i2 << " " << block.j2 << " point " << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace kumiko::amr
