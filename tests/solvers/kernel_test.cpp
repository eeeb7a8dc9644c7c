// Contract: the kernel is tensor-product Lagrange interpolation, with the same bits on every
// instruction set and whichever path a patch takes.
#include "kernel.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::solvers::cubic {
namespace {

constexpr int kSize = 16;
constexpr int kStride = kSize + 4;

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

  const double* origin() const { return before.data() + 2 * kStride + 2; }

  std::vector<double> run(Kernel kernel, Upwind x, Upwind y) {
    std::fill(after.begin(), after.end(), -99.0);
    kernel({origin(), after.data() + 2 * kStride + 2, kStride, cx.data(), cy.data(), x, y});
    return after;
  }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<Kernel> available_kernels() {
  std::vector<Kernel> kernels = {advance_baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels.push_back(advance_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    kernels.push_back(advance_avx512);
  }
#endif
  return kernels;
}

double lagrange(int node, double f) {
  double weight = 1.0;
  for (int other = -1; other <= 2; ++other) {
    if (other != node) weight *= (f - other) / (node - other);
  }
  return weight;
}

TEST(CubicKernel, GivenMixedDirectionsThenItIsLagrangesFormula) {
  Problem problem(1, -1.0, 1.0, -1.0, 1.0);
  problem.cx[0] = 1.0;  // the ends of the range belong to it
  problem.cy[1] = -1.0;
  problem.run(advance_baseline, Upwind::kMixed, Upwind::kMixed);
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) {
      const double x = problem.cx[static_cast<std::size_t>(j * kSize + i)];
      const double y = problem.cy[static_cast<std::size_t>(j * kSize + i)];
      const int i0 = x < 0.0 ? -1 : 0;
      const int j0 = y < 0.0 ? -1 : 0;
      double expected = 0.0;
      for (int n = -1; n <= 2; ++n) {
        for (int m = -1; m <= 2; ++m) {
          expected += lagrange(m, x - i0) * lagrange(n, y - j0) *
                      problem.origin()[(j + j0 + n) * kStride + i + i0 + m];
        }
      }
      ASSERT_NEAR(problem.after[static_cast<std::size_t>((j + 2) * kStride + i + 2)], expected,
                  4e-15)
          << "point (" << i << ", " << j << ")";
    }
  }
}

TEST(CubicKernel, GivenUniformDirectionsThenTheFastPathGivesTheBitsOfTheMixedOne) {
  for (const Kernel kernel : available_kernels()) {
    for (const bool left : {false, true}) {
      for (const bool below : {false, true}) {
        Problem problem(2, left ? -1.0 : 0.0, left ? -1e-9 : 1.0, below ? -1.0 : 0.0,
                        below ? -1e-9 : 1.0);
        const auto fast = problem.run(kernel, left ? Upwind::kBelow : Upwind::kAbove,
                                      below ? Upwind::kBelow : Upwind::kAbove);
        const auto mixed = problem.run(kernel, Upwind::kMixed, Upwind::kMixed);
        EXPECT_TRUE(same_bits(fast, mixed)) << left << below;
      }
    }
  }
}

TEST(CubicKernel, GivenEveryInstructionSetThenTheBitsAreTheSame) {
  Problem mixed(3, -1.0, 1.0, -1.0, 1.0);
  Problem uniform(4, -1.0, -0.1, 0.0, 1.0);
  const auto expected_mixed = mixed.run(advance_baseline, Upwind::kMixed, Upwind::kMixed);
  const auto expected_uniform = uniform.run(advance_baseline, Upwind::kBelow, Upwind::kAbove);
  for (const Kernel kernel : available_kernels()) {
    EXPECT_TRUE(same_bits(mixed.run(kernel, Upwind::kMixed, Upwind::kMixed), expected_mixed));
    EXPECT_TRUE(same_bits(uniform.run(kernel, Upwind::kBelow, Upwind::kAbove), expected_uniform));
  }
}

TEST(CubicKernel, GivenAConstantThenItPassesWithoutRounding) {
  Problem problem(5, -1.0, 1.0, -1.0, 1.0);
  std::fill(problem.before.begin(), problem.before.end(), 0.1);
  problem.run(available_kernels().back(), Upwind::kMixed, Upwind::kMixed);
  for (int j = 2; j < kSize + 2; ++j) {
    for (int i = 2; i < kSize + 2; ++i) {
      ASSERT_EQ(problem.after[static_cast<std::size_t>(j * kStride + i)], 0.1);
    }
  }
}

TEST(CubicKernel, GivenAPatchThenOnlyTheInteriorIsWritten) {
  Problem problem(6, -1.0, 1.0, -1.0, 1.0);
  const auto after = problem.run(available_kernels().back(), Upwind::kMixed, Upwind::kMixed);
  for (int j = 0; j < kStride; ++j) {
    for (int i = 0; i < kStride; ++i) {
      const bool interior = i >= 2 && j >= 2 && i < kSize + 2 && j < kSize + 2;
      if (interior) continue;
      ASSERT_EQ(after[static_cast<std::size_t>(j * kStride + i)], -99.0);
    }
  }
}

}  // namespace
}  // namespace kumiko::solvers::cubic
