// Contract: an axis' values lie in proportion, its ticks are round numbers within the range with
// labels that differ, and labels keep their distance.
#include "picture/axis.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::viz {
namespace {

std::vector<std::string> labels(const std::vector<Tick>& list) {
  std::vector<std::string> texts;
  for (const Tick& tick : list) texts.push_back(tick.label);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Axis, GivenALinearScaleThenPlacesAreInProportion) {
  const Axis axis({-1.0, 3.0}, 100.0, 500.0);
  EXPECT_DOUBLE_EQ(axis(-1.0), 100.0);
  EXPECT_DOUBLE_EQ(axis(0.0), 200.0);
  EXPECT_DOUBLE_EQ(axis(4.0), 600.0);
}

TEST(Axis, GivenAnyLinearRangeThenItsLabelsDifferAndSayTheirValues) {
  for (const Range range :
       {Range{0.0, 1e-7}, Range{1.0, 1.0 + 1e-9}, Range{1.0, 1.0 + 1e-13}, Range{0.0, 6.4e6},
        Range{6.4e6, 6.4e6 + 1.0}, Range{-2e-9, 1e-9}, Range{1e5, 1.00001e5}, Range{0.0, 3e12}}) {
    const std::vector<Tick> list = ticks(range, 8);
    ASSERT_GE(list.size(), 3U) << range.low << " .. " << range.high;
    std::set<std::string> labels;
    for (const Tick& tick : list) {
      labels.insert(tick.label);
      const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80U; };
      // The C library reads no power of ten as it stands in a label.
      if (!std::ranges::all_of(tick.label, is_ascii)) continue;
      EXPECT_NEAR(std::stod(tick.label), tick.value, 1e-3 * (range.high - range.low));
    }
    EXPECT_EQ(labels.size(), list.size()) << range.low << " .. " << range.high;
  }
}

TEST(Axis, GivenARangeOutOfOrderThenItIsRefused) {
  EXPECT_THROW(Axis({1.0, 1.0}, 0.0, 1.0), std::invalid_argument);
  EXPECT_THROW(Axis({0.0, std::nan("")}, 0.0, 1.0), std::invalid_argument);
}

TEST(Ticks, GivenALinearRangeThenTheyAreRoundAndWithinIt) {
  EXPECT_EQ(labels(ticks({0.0, 1.0}, 6)), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(ticks({-30.0, 77.0}, 6)), (Texts{"0", "50"}));
  EXPECT_EQ(labels(ticks({-0.013, 0.012}, 7)),
            (Texts{"-0.010", "-0.005", "0.000", "0.005", "0.010"}));
  EXPECT_EQ(labels(ticks({0.0, 4e7}, 5)), (Texts{"0", "10⁷", "2×10⁷", "3×10⁷", "4×10⁷"}));
}

TEST(Ticks, GivenManyRangesThenLabelsAreFewEnoughAscendingAndInside) {
  for (double low = 1e-9; low < 1e9; low *= 3.7) {
    for (double ratio = 1.01; ratio < 1e12; ratio *= 2.3) {
      const auto values = ticks({low, low * ratio}, 6);
      ASSERT_LE(values.size(), 6U) << low << ' ' << ratio;
      ASSERT_GE(values.size(), 1U) << low << ' ' << ratio;
      const double slack = 1e-6 * low * (ratio - 1.0);
      ASSERT_GE(values.front().value, low - slack) << ratio;
      ASSERT_LE(values.back().value, low * ratio + slack) << ratio;
      for (std::size_t at = 1; at < values.size(); ++at) {
        ASSERT_GT(values[at].value, values[at - 1].value);
      }
    }
  }
}

using Places = std::vector<double>;

TEST(Spread, GivenRoomThenNothingMoves) {
  EXPECT_EQ(spread({10.0, 30.0, 50.0}, 20.0, 0.0, 100.0), (Places{10.0, 30.0, 50.0}));
  EXPECT_EQ(spread({}, 20.0, 0.0, 100.0), Places{});
}

TEST(Spread, GivenNeighboursThenTheyMoveApartByEqualParts) {
  EXPECT_EQ(spread({48.0, 52.0}, 20.0, 0.0, 100.0), (Places{40.0, 60.0}));
  EXPECT_EQ(spread({50.0, 50.0, 50.0, 90.0}, 10.0, 0.0, 100.0), (Places{40.0, 50.0, 60.0, 90.0}));
}

TEST(Spread, GivenAnEdgeThenPlacesStayWithinIt) {
  EXPECT_EQ(spread({1.0, 2.0}, 20.0, 0.0, 100.0), (Places{0.0, 20.0}));
  EXPECT_EQ(spread({99.0, 130.0}, 20.0, 0.0, 100.0), (Places{80.0, 100.0}));
}

TEST(Spread, GivenTooLittleRoomThenPlacesAreEvenlySpread) {
  EXPECT_EQ(spread({5.0, 5.0, 5.0}, 20.0, 0.0, 10.0), (Places{0.0, 5.0, 10.0}));
}

}  // namespace
}  // namespace kumiko::viz
