// Contract: the kernel is tensor-product Lagrange interpolation, clipped if asked for, with the
// same bits on every instruction set and whichever path a patch takes.
#include "semi_lagrangian_cubic/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels.hpp"
#include "stored_bits.hpp"

namespace kumiko::solvers::cubic {
namespace {

constexpr int kSize = 16;
constexpr int kGhosts = 3;
constexpr int kStride = kSize + 2 * kGhosts;

struct Variant {
  Interpolation interpolation;
  Monotone monotone;
};

/// Points that the interpolation reads on each side of the departure cell, with its corner.
int reach(const Variant& variant) {
  return variant.interpolation == Interpolation::kQuintic ? 3 : 2;
}

/// A patch with random values and displacements between given bounds.
struct Problem {
  std::vector<double> before = std::vector<double>(kStride * kStride);
  std::vector<double> after = std::vector<double>(kStride * kStride, -99.0);
  std::array<double, kSize * kSize> cx;
  std::array<double, kSize * kSize> cy;

  Problem(unsigned seed, double low_x, double high_x, double low_y, double high_y) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (double& u : before) u = value(random);
    std::uniform_real_distribution<double> x(low_x, high_x);
    std::uniform_real_distribution<double> y(low_y, high_y);
    for (double& c : cx) c = x(random);
    for (double& c : cy) c = y(random);
  }

  static constexpr int kOrigin = kGhosts * kStride + kGhosts;
  const double* origin() const { return before.data() + kOrigin; }
  double result(int i, int j) const {
    return after[static_cast<std::size_t>(kOrigin + j * kStride + i)];
  }

  std::vector<double> run(Kernel kernel, Upwind x, Upwind y, const Variant& variant) {
    std::fill(after.begin(), after.end(), -99.0);
    kernel({origin(), after.data() + kOrigin, kStride, cx.data(), cy.data(), x, y,
            variant.interpolation, variant.monotone});
    return after;
  }
  std::vector<double> run(Kernel kernel, const Variant& variant) {
    return run(kernel, Upwind::kMixed, Upwind::kMixed, variant);
  }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<Kernel> available_kernels() {
  return kumiko::test::kernels_here(&advance_baseline, &advance_avx2, &advance_avx512);
}

/// Lagrange's weight of a node, of those from 1 - reach to reach.
double lagrange(int node, double f, int reach) {
  double weight = 1.0;
  for (int other = 1 - reach; other <= reach; ++other) {
    if (other != node) weight *= (f - other) / (node - other);
  }
  return weight;
}

class KernelTest : public ::testing::TestWithParam<Variant> {
 protected:
  Variant variant() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(With, KernelTest,
                         ::testing::Values(Variant{Interpolation::kCubic, Monotone::kNone},
                                           Variant{Interpolation::kQuintic, Monotone::kNone},
                                           Variant{Interpolation::kCubic, Monotone::kQuasi},
                                           Variant{Interpolation::kQuintic, Monotone::kQuasi}),
                         [](const auto& tested) {
                           const bool quintic =
                               tested.param.interpolation == Interpolation::kQuintic;
                           const bool quasi = tested.param.monotone == Monotone::kQuasi;
                           return std::string(quintic ? "Quintic" : "Cubic") +
                                  (quasi ? "Quasi" : "None");
                         });

TEST_P(KernelTest, GivenMixedDirectionsThenItIsLagrangesFormulaClippedIfAskedFor) {
  Problem problem(1, -1.0, 1.0, -1.0, 1.0);
  problem.cx[0] = 1.0;  // the ends of the range belong to it
  problem.cy[1] = -1.0;
  problem.run(advance_baseline, variant());
  const int r = reach(variant());
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) {
      const double x = problem.cx[static_cast<std::size_t>(j * kSize + i)];
      const double y = problem.cy[static_cast<std::size_t>(j * kSize + i)];
      const int i0 = x < 0.0 ? -1 : 0;
      const int j0 = y < 0.0 ? -1 : 0;
      const auto value = [&](int m, int n) {
        return problem.origin()[(j + j0 + n) * kStride + i + i0 + m];
      };
      double expected = 0.0;
      for (int n = 1 - r; n <= r; ++n) {
        for (int m = 1 - r; m <= r; ++m) {
          expected += lagrange(m, x - i0, r) * lagrange(n, y - j0, r) * value(m, n);
        }
      }
      if (variant().monotone == Monotone::kQuasi) {
        const auto [least, largest] =
            std::minmax({value(0, 0), value(1, 0), value(0, 1), value(1, 1)});
        expected = std::clamp(expected, least, largest);
      }
      ASSERT_NEAR(problem.result(i, j), expected, 8e-15) << "point (" << i << ", " << j << ")";
    }
  }
}

// The bits that advance_avx512 gave on an Intel Xeon (Rocket Lake): so that a machine without
// AVX-512 compares the kernels that it has with the one that it lacks.
TEST_P(KernelTest, GivenFixedInputsThenTheBitsAreThoseStoredFromAvx512) {
  const std::array<std::uint64_t, 4> stored = {15248620381333141658U, 1147581840361404315U,
                                               13774894042068056056U, 18426873576270716268U};
  const std::size_t which = (variant().interpolation == Interpolation::kQuintic ? 1U : 0U) +
                            (variant().monotone == Monotone::kQuasi ? 2U : 0U);
  for (const Kernel kernel : available_kernels()) {
    Problem problem(11, -1.0, 1.0, -1.0, 1.0);
    EXPECT_EQ(kumiko::test::hash_of_bits(problem.run(kernel, variant())), stored[which]);
  }
}

TEST(KernelOfAvx512, GivenAProcessorWithItThenItIsTried) {
  if (!kumiko::test::has_avx512())
    GTEST_SKIP() << "no AVX-512 here; what its kernel gave elsewhere is compared by stored hashes";
  EXPECT_EQ(available_kernels().back(), &advance_avx512);
}

TEST_P(KernelTest, GivenUniformDirectionsThenTheFastPathGivesTheBitsOfTheMixedOne) {
  for (const Kernel kernel : available_kernels()) {
    for (const bool left : {false, true}) {
      for (const bool below : {false, true}) {
        Problem problem(2, left ? -1.0 : 0.0, left ? -1e-9 : 1.0, below ? -1.0 : 0.0,
                        below ? -1e-9 : 1.0);
        const auto fast = problem.run(kernel, left ? Upwind::kBelow : Upwind::kAbove,
                                      below ? Upwind::kBelow : Upwind::kAbove, variant());
        const auto mixed = problem.run(kernel, variant());
        EXPECT_TRUE(same_bits(fast, mixed)) << left << below;
      }
    }
  }
}

TEST_P(KernelTest, GivenEveryInstructionSetThenTheBitsAreTheSame) {
  Problem mixed(3, -1.0, 1.0, -1.0, 1.0);
  Problem uniform(4, -1.0, -0.1, 0.0, 1.0);
  const auto expected_mixed = mixed.run(advance_baseline, variant());
  const auto expected_uniform =
      uniform.run(advance_baseline, Upwind::kBelow, Upwind::kAbove, variant());
  for (const Kernel kernel : available_kernels()) {
    EXPECT_TRUE(same_bits(mixed.run(kernel, variant()), expected_mixed));
    EXPECT_TRUE(same_bits(uniform.run(kernel, Upwind::kBelow, Upwind::kAbove, variant()),
                          expected_uniform));
  }
}

TEST_P(KernelTest, GivenAConstantThenItPassesWithoutRounding) {
  Problem problem(5, -1.0, 1.0, -1.0, 1.0);
  std::fill(problem.before.begin(), problem.before.end(), 0.1);
  problem.run(available_kernels().back(), variant());
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) ASSERT_EQ(problem.result(i, j), 0.1);
  }
}

TEST_P(KernelTest, GivenAPatchThenOnlyTheInteriorIsWritten) {
  Problem problem(6, -1.0, 1.0, -1.0, 1.0);
  problem.run(available_kernels().back(), variant());
  for (int j = -kGhosts; j < kSize + kGhosts; ++j) {
    for (int i = -kGhosts; i < kSize + kGhosts; ++i) {
      const bool interior = i >= 0 && j >= 0 && i < kSize && j < kSize;
      if (interior) continue;
      ASSERT_EQ(problem.result(i, j), -99.0);
    }
  }
}

TEST_P(KernelTest, GivenAValueThatIsNotANumberThenEveryPointThatReadsItIsNone) {
  for (const Kernel kernel : available_kernels()) {
    Problem problem(7, -1.0, -0.1, 0.1, 1.0);
    problem.before[Problem::kOrigin + 8 * kStride + 8] = std::nan("");
    problem.run(kernel, Upwind::kBelow, Upwind::kAbove, variant());
    const int r = reach(variant());
    for (int j = 0; j < kSize; ++j) {
      for (int i = 0; i < kSize; ++i) {
        // Point (i, j) reads i - r .. i + r - 1 and j - r + 1 .. j + r.
        const bool reads = i - r <= 8 && 8 < i + r && j - r < 8 && 8 <= j + r;
        ASSERT_EQ(std::isnan(problem.result(i, j)), reads) << i << ' ' << j;
      }
    }
  }
}

}  // namespace
}  // namespace kumiko::solvers::cubic
