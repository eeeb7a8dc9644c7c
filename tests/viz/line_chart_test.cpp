// Contract: a chart's values lie where their closed form says, its ticks are round numbers within
// the range, and its document is well-formed whatever the texts hold.
#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/viz/line_chart.hpp>

#include "chart/svg.hpp"

namespace kumiko::viz {
namespace {

std::vector<double> labelled(const std::vector<Tick>& list) {
  std::vector<double> values;
  for (const Tick& tick : list) {
    if (!tick.label.empty()) values.push_back(tick.value);
  }
  return values;
}

std::vector<std::string> labels(const std::vector<Tick>& list) {
  std::vector<std::string> texts;
  for (const Tick& tick : list) {
    if (!tick.label.empty()) texts.push_back(tick.label);
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Axis, GivenALinearScaleThenPlacesAreInProportion) {
  const Axis axis(Scale::kLinear, {-1.0, 3.0}, 100.0, 500.0);
  EXPECT_DOUBLE_EQ(axis(-1.0), 100.0);
  EXPECT_DOUBLE_EQ(axis(0.0), 200.0);
  EXPECT_DOUBLE_EQ(axis(4.0), 600.0);
}

TEST(Axis, GivenALogScaleThenEqualRatiosAreEquallyFarApart) {
  const Axis axis(Scale::kLog, {1e-4, 1e2}, 600.0, 0.0);
  EXPECT_DOUBLE_EQ(axis(1e-4), 600.0);
  EXPECT_DOUBLE_EQ(axis(1e-1), 300.0);
  EXPECT_NEAR(axis(2.0) - axis(1.0), -100.0 * std::log10(2.0), 1e-10);
  EXPECT_NEAR(axis(0.02) - axis(0.01), axis(2.0) - axis(1.0), 1e-10);
}

TEST(Axis, GivenALogScaleThenValuesNotAbove0AreRefused) {
  EXPECT_THROW(Axis(Scale::kLog, {0.0, 1.0}, 0.0, 1.0), std::invalid_argument);
  EXPECT_THROW(Axis(Scale::kLog, {1.0, 2.0}, 0.0, 1.0)(-3.0), std::invalid_argument);
  EXPECT_THROW(padded_range(Scale::kLog, std::vector{1.0, 0.0}), std::invalid_argument);
  EXPECT_NO_THROW(padded_range(Scale::kLinear, std::vector{1.0, 0.0}));
}

TEST(Axis, GivenAnyLinearRangeThenItsLabelsDifferAndSayTheirValues) {
  for (const Range range :
       {Range{0.0, 1e-7}, Range{1.0, 1.0 + 1e-9}, Range{1.0, 1.0 + 1e-13}, Range{0.0, 6.4e6},
        Range{6.4e6, 6.4e6 + 1.0}, Range{-2e-9, 1e-9}, Range{1e5, 1.00001e5}, Range{0.0, 3e12}}) {
    const std::vector<Tick> list = ticks(Scale::kLinear, range, 8);
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
  EXPECT_THROW(Axis(Scale::kLinear, {1.0, 1.0}, 0.0, 1.0), std::invalid_argument);
  EXPECT_THROW(Axis(Scale::kLinear, {0.0, std::nan("")}, 0.0, 1.0), std::invalid_argument);
}

TEST(Range, GivenValuesThenBothEndsHaveRoomAndNaNDoesNotCount) {
  const Range linear = padded_range(Scale::kLinear, std::vector{0.0, std::nan(""), 10.0});
  EXPECT_DOUBLE_EQ(linear.low, -linear.high + 10.0);
  EXPECT_GT(linear.high, 10.0);
  const Range log = padded_range(Scale::kLog, std::vector{1e-2, 1e2});
  EXPECT_NEAR(log.low * log.high, 1.0, 1e-12);
  EXPECT_GT(log.high, 1e2);
  EXPECT_LT(log.high, 1e3);
}

TEST(Range, GivenOneValueOrNoneThenThereIsARangeStill) {
  const Range one = padded_range(Scale::kLog, std::vector{3.0});
  EXPECT_LT(one.low, 3.0);
  EXPECT_GT(one.high, 3.0);
  const Range zero = padded_range(Scale::kLinear, std::vector{0.0});
  EXPECT_LT(zero.low, zero.high);
  const Range none = padded_range(Scale::kLog, {});
  EXPECT_GT(none.low, 0.0);
  EXPECT_LT(none.low, none.high);
}

TEST(Ticks, GivenALinearRangeThenTheyAreRoundAndWithinIt) {
  EXPECT_EQ(labels(ticks(Scale::kLinear, {0.0, 1.0}, 6)),
            (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(ticks(Scale::kLinear, {-30.0, 77.0}, 6)), (Texts{"0", "50"}));
  EXPECT_EQ(labels(ticks(Scale::kLinear, {-0.013, 0.012}, 7)),
            (Texts{"-0.010", "-0.005", "0.000", "0.005", "0.010"}));
  EXPECT_EQ(labels(ticks(Scale::kLinear, {0.0, 4e7}, 5)),
            (Texts{"0", "10⁷", "2×10⁷", "3×10⁷", "4×10⁷"}));
}

TEST(Ticks, GivenALogRangeThenLabelsAreAsDenseAsItsDecadesAllow) {
  EXPECT_EQ(labels(ticks(Scale::kLog, {0.8, 12.0}, 8)), (Texts{"1", "2", "5", "10"}));
  EXPECT_EQ(labels(ticks(Scale::kLog, {3e-7, 2e-2}, 6)),
            (Texts{"10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01"}));
  EXPECT_EQ(labels(ticks(Scale::kLog, {3.1, 4.2}, 7)),
            (Texts{"3.2", "3.4", "3.6", "3.8", "4.0", "4.2"}));
  const auto wide = labelled(ticks(Scale::kLog, {1e-30, 1e30}, 5));
  EXPECT_LE(wide.size(), 5U);
  EXPECT_GE(wide.size(), 3U);
}

TEST(Ticks, GivenAboutADecadeThen3And7HaveLabelsToo) {
  EXPECT_EQ(labels(ticks(Scale::kLog, {0.01, 0.084}, 8)),
            (Texts{"0.01", "0.02", "0.03", "0.05", "0.07"}));
  EXPECT_EQ(labels(ticks(Scale::kLog, {2.4e6, 1.33e7}, 8)),
            (Texts{"3×10⁶", "5×10⁶", "7×10⁶", "10⁷"}));
}

TEST(Ticks, GivenLinearTicksOnALogScaleThenTheirLabelsHaveRoomAtItsUpperEndToo) {
  // 4.5 apart on the scale, 0.5 would be as near to each other as a fifteenth of it at the end.
  const Range range{1.6, 4.4};
  const std::vector<double> values = labelled(ticks(Scale::kLog, range, 8));
  ASSERT_GE(values.size(), 3U);
  for (std::size_t at = 1; at < values.size(); ++at) {
    EXPECT_GE(std::log(values[at] / values[at - 1]), std::log(range.high / range.low) / 9.0);
  }
}

TEST(Ticks, GivenNumbersOfWorkersThenEachHasItsTickAndNoneLiesBetweenOrBelow) {
  const Axis log(Scale::kLog, {0.7, 1500.0}, 0.0, 400.0);
  const std::vector<double> doubled = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  EXPECT_EQ(labelled(count_ticks(log, doubled, 45.0)), doubled);
  const Axis linear(Scale::kLinear, {0.0, 2.5}, 0.0, 400.0);
  EXPECT_EQ(labels(count_ticks(linear, {2.0, 1.0, 2.0}, 45.0)), (Texts{"1", "2"}));
}

TEST(Ticks, GivenMoreNumbersOfWorkersThanHaveRoomThenTicksAreRoundAndWhole) {
  std::vector<double> all;
  for (int workers = 1; workers <= 64; ++workers) all.push_back(workers);
  const Axis log(Scale::kLog, {0.7, 90.0}, 0.0, 400.0);
  const std::vector<Tick> list = count_ticks(log, all, 45.0);
  EXPECT_EQ(labels(list), (Texts{"1", "2", "5", "10", "20", "50"}));
  EXPECT_EQ(list.front().value, 1.0) << "a worker is not divided";
  const Axis linear(Scale::kLinear, {0.0, 64.5}, 0.0, 400.0);
  EXPECT_EQ(labels(count_ticks(linear, all, 45.0)), (Texts{"10", "20", "30", "40", "50", "60"}));
}

TEST(Range, GivenATickJustBeyondALogScalesEndThenTheScaleReachesIt) {
  const Range both = widened_to_ticks(Scale::kLog, {0.0023, 0.04});
  EXPECT_DOUBLE_EQ(both.low, 0.002);
  EXPECT_DOUBLE_EQ(both.high, 0.05);
  const Range far = widened_to_ticks(Scale::kLog, {0.3, 1.4});
  EXPECT_DOUBLE_EQ(far.low, 0.3);
  EXPECT_DOUBLE_EQ(far.high, 1.4);
  EXPECT_DOUBLE_EQ(widened_to_ticks(Scale::kLinear, {0.21, 0.49}).low, 0.21);
}

TEST(Ticks, GivenManyRangesThenLabelsAreFewEnoughAscendingAndInside) {
  for (double low = 1e-9; low < 1e9; low *= 3.7) {
    for (double ratio = 1.01; ratio < 1e12; ratio *= 2.3) {
      for (const Scale scale : {Scale::kLinear, Scale::kLog}) {
        const auto values = labelled(ticks(scale, {low, low * ratio}, 6));
        ASSERT_LE(values.size(), 6U) << low << ' ' << ratio;
        ASSERT_GE(values.size(), 1U) << low << ' ' << ratio;
        const double slack = 1e-6 * low * (ratio - 1.0);
        ASSERT_GE(values.front(), low - slack) << ratio;
        ASSERT_LE(values.back(), low * ratio + slack) << ratio;
        for (std::size_t at = 1; at < values.size(); ++at) ASSERT_GT(values[at], values[at - 1]);
      }
    }
  }
}

TEST(NumberLabel, GivenANumberThenItIsPlainWhereThatIsShort) {
  EXPECT_EQ(number_label(0.0), "0");
  EXPECT_EQ(number_label(0.05), "0.05");
  EXPECT_EQ(number_label(2500.0), "2500");
  EXPECT_EQ(number_label(2e-5), "2×10⁻⁵");
  EXPECT_EQ(number_label(1e6), "10⁶");
  EXPECT_EQ(number_label(-1e-12), "-10⁻¹²");
  EXPECT_EQ(number_label(6400001.0, 7), "6.400001×10⁶");
}

/// How often a text is in another.
int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

LineChart example() {
  LineChart chart;
  chart.x = {"seconds", Scale::kLog, Range{1.0, 100.0}};
  chart.y = {"error <rms>", Scale::kLog, Range{1e-4, 1.0}};
  chart.series = {{"one", {{1.0, 1e-1, "64"}, {10.0, 1e-2, "128"}}}};
  return chart;
}

TEST(LineChart, GivenALogLogChartThenItsLineGoesThroughTheClosedFormsPlaces) {
  const std::vector<LineChart> charts = {example()};
  const std::string svg = draw_charts(charts, {"title", "caption", 400.0, 300.0});
  // The plot's corner is what remains of the first place when the axes' part is taken away.
  const std::string key = "points=\"";
  const std::size_t at = svg.find(key);
  ASSERT_NE(at, std::string::npos);
  double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
  ASSERT_EQ(std::sscanf(svg.c_str() + at + key.size(), "%lf,%lf %lf,%lf", &x0, &y0, &x1, &y1), 4);
  EXPECT_NEAR(x1 - x0, 200.0, 0.02);  // one of two decades
  EXPECT_NEAR(y1 - y0, 75.0, 0.02);   // one of four, downwards
}

TEST(LineChart, GivenASpreadThenABarReachesFromItsLeastToItsMost) {
  LineChart chart;
  chart.x = {"workers", Scale::kLinear, Range{0.0, 2.0}};
  chart.y = {"speed-up", Scale::kLinear, Range{0.0, 10.0}};
  chart.series = {{"one", {{1.0, 5.0, "", Range{4.0, 8.0}}}}};
  const std::vector<LineChart> charts = {chart};
  const std::string svg = draw_charts(charts, {"title", "caption", 400.0, 300.0});
  const std::regex line(
      "<line x1=\"([0-9.]+)\" y1=\"([0-9.]+)\" x2=\"([0-9.]+)\" y2=\"([0-9.]+)\"");
  bool found = false;
  for (std::sregex_iterator at(svg.begin(), svg.end(), line), end; at != end; ++at) {
    const double height = std::stod((*at)[2]) - std::stod((*at)[4]);
    if ((*at)[1] == (*at)[3] && std::abs(height - 120.0) < 0.02) found = true;
  }
  EXPECT_TRUE(found) << "4 of 10 units of 300 pixels, upwards";
}

TEST(LineChart, GivenTextsOfAnyKindThenTheyAreEscaped) {
  std::vector<LineChart> charts = {example()};
  charts[0].series[0].name = "<b>\"x\" & y\n</b>";
  charts[0].references.push_back({0.5, "A & B"});
  const std::string svg = draw_charts(charts, {"T < U", "V > W"});
  EXPECT_EQ(count(svg, "<b>"), 0);
  EXPECT_GE(count(svg, "&lt;b&gt;&quot;x&quot; &amp; y &lt;/b&gt;"), 1);
  EXPECT_GE(count(svg, "A &amp; B"), 1);
  EXPECT_GE(count(svg, "T &lt; U"), 1);
  EXPECT_GE(count(svg, "V &gt; W"), 1);
  EXPECT_EQ(escaped("plain, ×10⁻³"), "plain, ×10⁻³");
}

TEST(LineChart, GivenValuesThatALogAxisCannotShowThenTheAxisIsNamed) {
  std::vector<LineChart> charts = {example()};
  charts[0].series[0].points.push_back({20.0, 0.0});
  try {
    draw_charts(charts, {});
    FAIL() << "0 has no place on a log axis";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("error <rms>"), std::string::npos);
  }
}

TEST(LineChart, GivenAValueThatIsNotFiniteThenItInterruptsTheLine) {
  std::vector<LineChart> charts = {example()};
  const double nan = std::nan("");
  charts[0].series[0].points = {{1.0, 0.1}, {2.0, 0.1}, {3.0, nan}, {4.0, 0.1}, {5.0, 0.1}};
  EXPECT_EQ(count(draw_charts(charts, {}), "<polyline"), 2);
}

TEST(LineChart, GivenOnePointThenThereIsAMarkerAndNoLine) {
  std::vector<LineChart> charts = {example()};
  charts[0].x.range = charts[0].y.range = std::nullopt;
  charts[0].series[0].points = {{3.0, 0.5, "64"}};
  const std::string svg = draw_charts(charts, {});
  EXPECT_EQ(count(svg, "<polyline"), 0);
  EXPECT_EQ(count(svg, "<path"), 2) << "the point's and the legend's";
  EXPECT_EQ(count(svg, "no data"), 0);
}

TEST(LineChart, GivenNothingToShowThenTheChartSaysSo) {
  std::vector<LineChart> charts = {LineChart{}};
  EXPECT_EQ(count(draw_charts(charts, {}), "no data"), 1);
  EXPECT_NE(draw_charts({}, {"empty page"}).find("</svg>"), std::string::npos);
}

TEST(LineChart, GivenTwoChartsThenASeriesLooksTheSameInBothAndIsOnceInTheLegend) {
  std::vector<LineChart> charts = {example(), example()};
  charts[1].series.insert(charts[1].series.begin(), {"two", {{2.0, 0.5}, {3.0, 0.4}}});
  const std::string svg = draw_charts(charts, {});
  EXPECT_EQ(count(svg, ">one</text>"), 1);
  EXPECT_EQ(count(svg, ">two</text>"), 1);
  EXPECT_EQ(count(svg, "<polyline fill=\"none\" stroke-linejoin=\"round\" stroke=\"#0072b2\""), 2);
}

TEST(LineChart, GivenReferencesThenEachIsADashedLineWithItsLabelAndBeyondTheRangeNone) {
  std::vector<LineChart> charts = {example()};
  charts[0].references = {{1e-2, "near"}, {1.1e-2, "nearer"}, {1e-7, "far"}};
  const std::string svg = draw_charts(charts, {});
  EXPECT_EQ(count(svg, "stroke-dasharray=\"5 4\""), 2);
  EXPECT_EQ(count(svg, ">near</text>"), 1);
  EXPECT_EQ(count(svg, ">far</text>"), 0);
}

TEST(Text, GivenALongOneThenItIsClippedBetweenCharacters) {
  EXPECT_EQ(clipped("short", 10.0, 100.0), "short");
  const std::string text = clipped("ééééééééééé", 10.0, 30.0);
  EXPECT_LE(text_width(text, 10.0), 30.0);
  EXPECT_EQ(text, "éééé…");
}

}  // namespace
}  // namespace kumiko::viz
