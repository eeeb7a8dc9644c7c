// Contract: rows of sines have the same bits by every instruction set and at every place of a row,
// and are right to round-off.
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "kernel.hpp"
#include "kernels.hpp"

namespace kumiko::cases {
namespace {

TEST(SineRows, GivenAnyInstructionSetLengthAndPlaceThenTheBitsAreTheSame) {
  std::vector<double> x = {0.0, -0.0, 0.5, 1.0, -0.5};
  for (int at = 0; at < 67; ++at) x.push_back(0.0731 * at - 1.9);
  for (const double periods : {1.0, 2.0}) {
    std::vector<double> squared(x.size());
    std::vector<double> doubled(x.size());
    sine_row_baseline(x.data(), x.size(), periods, squared.data(), doubled.data());
    for (std::size_t at = 0; at < x.size(); ++at) {
      const double angle = std::numbers::pi * periods * x[at];
      EXPECT_NEAR(squared[at], std::sin(angle) * std::sin(angle), 1e-14);
      EXPECT_NEAR(doubled[at], std::sin(2.0 * angle), 1e-14);
    }
    for (const SineRow kernel :
         test::kernels_here(&sine_row_baseline, &sine_row_avx2, &sine_row_avx512)) {
      for (std::size_t count = 1; count <= x.size(); ++count) {
        std::vector<double> s(count);
        std::vector<double> d(count);
        kernel(x.data(), count, periods, s.data(), d.data());
        ASSERT_EQ(std::memcmp(s.data(), squared.data(), count * sizeof(double)), 0) << count;
        ASSERT_EQ(std::memcmp(d.data(), doubled.data(), count * sizeof(double)), 0) << count;
      }
    }
  }
}

}  // namespace
}  // namespace kumiko::cases
