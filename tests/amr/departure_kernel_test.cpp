// Contract: the points that are followed back hold Lagrange's values, along rows and columns alike,
// and the bits do not depend on the instruction set or on the number of lanes.
#include "ghosts/departure_kernel.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/instruction_set.hpp>

#include "lagrange.hpp"
#include "stored_bits.hpp"

namespace kumiko::amr {
namespace {

constexpr int kLanes = 8;

struct Field {
  std::vector<double> values = std::vector<double>(PatchView::size(1, 2));
  PatchView view{values.data(), 1, 2};
  std::array<double, kLanes> dx;
  std::array<double, kLanes> dy;

  explicit Field(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (double& value : values) value = uniform(random);
    for (double& d : dx) d = 0.5 * uniform(random);
    for (double& d : dy) d = 0.5 * uniform(random);
    // The ends and the middle of what is possible.
    dx[0] = -0.5;
    dx[1] = 0.5;
    dx[2] = 0.0;
    dy[2] = 0.0;
    dy[3] = -0.5;
    dy[4] = 0.5;
  }
};

DepartureLine line_of(const Field& field, bool half_x, bool half_y, double* to, int lanes) {
  return {&field.view(3, 4),
          1,
          field.view.stride(),
          half_x,
          half_y,
          field.dx.data(),
          field.dy.data(),
          to,
          1,
          lanes};
}

class EveryKernel : public ::testing::TestWithParam<DepartureKernel> {
 protected:
  void SetUp() override {
    const auto needs = GetParam() == interpolate_baseline ? InstructionSet::kBaseline
                       : GetParam() == interpolate_avx2   ? InstructionSet::kAvx2
                                                          : InstructionSet::kAvx512;
    if (instruction_set() < needs) GTEST_SKIP() << "this processor does not have the instructions";
  }
};

TEST_P(EveryKernel, GivenPointsAtAndBetweenNodesThenTheyHoldLagrangesValues) {
  const Field field(5);
  for (const bool half_x : {false, true}) {
    for (const bool half_y : {false, true}) {
      std::array<double, kLanes> values{};
      const DepartureLine line = line_of(field, half_x, half_y, values.data(), kLanes);
      GetParam()(&line, 1);
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto at = static_cast<std::size_t>(lane);
        const double x = 3 + lane + (half_x ? 0.5 : 0.0) + field.dx[at];
        const double y = 4 + (half_y ? 0.5 : 0.0) + field.dy[at];
        ASSERT_NEAR(values[at], test::lagrange(field.view, x, y), 4e-15)
            << half_x << half_y << " lane " << lane;
      }
    }
  }
}

TEST_P(EveryKernel, GivenColumnsOfATransposedFieldThenTheBitsAreThoseOfRowsOfTheField) {
  const Field field(6);
  // Lane l's neighbours in x lie a row apart; those in y side by side.
  std::vector<double> transposed(field.values.size());
  const auto stride = static_cast<int>(field.view.stride());
  for (int j = 0; j < stride; ++j) {
    for (int i = 0; i < stride; ++i) {
      transposed[static_cast<std::size_t>(i * stride + j)] =
          field.values[static_cast<std::size_t>(j * stride + i)];
    }
  }
  const double* const node = &transposed[static_cast<std::size_t>((3 + 2) * stride + 4 + 2)];
  for (const bool half_x : {false, true}) {
    for (const bool half_y : {false, true}) {
      std::array<double, kLanes> values{};
      const DepartureLine column{
          node,          stride, 1,     half_x, half_y, field.dx.data(), field.dy.data(),
          values.data(), 1,      kLanes};
      GetParam()(&column, 1);
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto at = static_cast<std::size_t>(lane);
        double expected = 0.0;
        const DepartureLine row{&field.view(3, 4 + lane),
                                1,
                                stride,
                                half_x,
                                half_y,
                                &field.dx[at],
                                &field.dy[at],
                                &expected,
                                1,
                                1};
        GetParam()(&row, 1);
        ASSERT_EQ(values[at], expected) << half_x << half_y << " lane " << lane;
      }
    }
  }
}

TEST_P(EveryKernel, GivenAnyNumberOfLanesThenTheBitsAreTheBaselines) {
  if (GetParam() == interpolate_baseline) GTEST_SKIP() << "what the others are compared with";
  const Field field(7);
  for (int lanes = 1; lanes <= kLanes; ++lanes) {
    for (const bool half_x : {false, true}) {
      for (const bool half_y : {false, true}) {
        std::array<double, kLanes> values{};
        std::array<double, kLanes> expected{};
        const DepartureLine line = line_of(field, half_x, half_y, values.data(), lanes);
        const DepartureLine reference = line_of(field, half_x, half_y, expected.data(), lanes);
        GetParam()(&line, 1);
        interpolate_baseline(&reference, 1);
        ASSERT_EQ(values, expected) << half_x << half_y << " lanes " << lanes;
      }
    }
  }
}

// As interpolate_avx512 gave them on an Intel Xeon (Rocket Lake): a machine without AVX-512
// compares what it has with that.
TEST_P(EveryKernel, GivenFixedInputsThenTheBitsAreThoseStoredFromAvx512) {
  const Field field(8);
  std::vector<double> all;
  for (const bool half_x : {false, true}) {
    for (const bool half_y : {false, true}) {
      std::array<double, kLanes> values{};
      const DepartureLine line = line_of(field, half_x, half_y, values.data(), kLanes);
      GetParam()(&line, 1);
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  EXPECT_EQ(kumiko::test::hash_of_bits(all), 11657441761444399257U);
}

std::string name_of(const ::testing::TestParamInfo<DepartureKernel>& info) {
  return std::array<std::string, 3>{"Baseline", "Avx2", "Avx512"}[info.index];
}

INSTANTIATE_TEST_SUITE_P(With, EveryKernel,
                         ::testing::Values(&interpolate_baseline, &interpolate_avx2,
                                           &interpolate_avx512),
                         name_of);

}  // namespace
}  // namespace kumiko::amr
