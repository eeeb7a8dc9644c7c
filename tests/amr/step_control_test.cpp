// Contract: a run that is given a CFL number takes steps that stay below it, few more than one who
// knows every speed beforehand, and the same ones wherever it is interrupted; equal speeds give
// equal steps, and steps that no patch takes are shortened until it is clear that none will do.
#include "stepping/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::amr {
namespace {

/// Takes the steps of a run whose largest speed is rate(time), and may be refused.
/// \param refuses  (step, time, dt) whether a base step is too long
template <class Rate, class Refuses>
std::vector<double> steps_of(StepControl control, Rate rate, Refuses refuses) {
  std::vector<double> lengths;
  control.choose(0, rate(0.0));
  for (int step = 0; !control.is_over(step);) {
    if (control.is_due(step)) control.choose(step, rate(control.stretch().time(step)));
    if (refuses(step, control.stretch().time(step), control.stretch().dt())) {
      const double half = 0.5 * control.stretch().dt();
      control.choose(step, rate(control.stretch().time(step)), half);
      continue;
    }
    lengths.push_back(control.stretch().time(step + 1) - control.stretch().time(step));
    ++step;
  }
  return lengths;
}

template <class Rate>
std::vector<double> steps_of(const StepControl& control, Rate rate) {
  return steps_of(control, rate, [](int, double, double) { return false; });
}

TEST(StepControl, GivenASteadyFlowThenItsStepsAreThoseOfTheirNumber) {
  constexpr double kEnd = 6.283185307179586;
  const auto lengths = steps_of(StepControl(kEnd, 0, 0.5, false), [](double) { return 203.7; });
  // 6.283… × 203.7 ÷ 0.5 = 2559.8.
  ASSERT_EQ(lengths.size(), 2560U);
  StepControl control(kEnd, 0, 0.5, false);
  control.choose(0, 203.7);
  const Stretch counted = Stretch::whole_run(kEnd, 2560);
  for (int step = 0; step < 2560; ++step) {
    ASSERT_EQ(control.stretch().time(step), counted.time(step)) << step;
    if (control.is_due(step)) control.choose(step, 203.7);
  }
  EXPECT_EQ(control.stretch().dt(), counted.dt());
  EXPECT_EQ(control.stretch().end(), kEnd) << "the end itself";
}

TEST(StepControl, GivenAWindThatGrowsAHundredfoldThenFewMoreStepsAreTakenThanAnOracleTakes) {
  constexpr double kCfl = 0.8;
  for (const double base : {10.0, 100.0}) {
    const auto rate = [&](double time) { return base * std::exp(4.6 * time); };
    int oracle = 0;
    for (double time = 0.0; time < 1.0; ++oracle) time += kCfl / rate(time);
    int refused = 0;
    const auto refuses = [&](int, double time, double dt) {
      const bool is_too_long = dt * rate(time) > 1.0;
      if (is_too_long) ++refused;
      return is_too_long;
    };
    const auto lengths = steps_of(StepControl(1.0, 0, kCfl, true), rate, refuses);
    double time = 0.0;
    for (const double length : lengths) time += length;
    EXPECT_NEAR(time, 1.0, 1e-9);
    if (base < 100.0) continue;
    ASSERT_GE(oracle, 400);
    EXPECT_LE(static_cast<double>(lengths.size()), 1.15 * oracle);
    EXPECT_LE(refused, 1) << "before a first growth is known";
  }
}

TEST(StepControl, GivenACalmBeginningThenTheStepGrowsByAQuarterAtAChoice) {
  const auto lengths = steps_of(StepControl(1.0, 0, 0.5, true), [](double) { return 0.0; });
  EXPECT_LE(lengths.front(), 0.25);
  double sum = 0.0;
  for (const double length : lengths) sum += length;
  EXPECT_NEAR(sum, 1.0, 1e-15);
}

TEST(StepControl, GivenASpeedThatVariesLittleThenTheStepIsKept) {
  // A step between 0.8 of what is wanted and that is kept, with what depends on its length.
  StepControl control(1.0, 0, 0.5, true);
  control.choose(0, 100.0);
  const double first = control.stretch().dt();
  control.choose(8, 85.0);
  EXPECT_EQ(control.stretch().dt(), first);
  control.choose(16, 110.0);
  EXPECT_LT(control.stretch().dt(), first);
}

TEST(StepControl, GivenTimesThatStepsAreToEndAtThenTheyDoByEqualStepsToTheBit) {
  constexpr double kCfl = 0.5;
  const Times exact(0.1, {0.25, 0.2500001, 1.0});
  const auto rate = [](double time) { return 80.0 * (1.2 + std::sin(3.0 * time)); };
  StepControl control(1.0, 0, kCfl, true, exact);
  control.choose(0, rate(0.0));
  std::vector<double> ends;
  for (int step = 0; !control.is_over(step); ++step) {
    if (control.is_due(step)) control.choose(step, rate(control.stretch().time(step)));
    ASSERT_LE(control.stretch().dt() * rate(control.stretch().time(step)), 1.25 * kCfl) << step;
    ends.push_back(control.stretch().time(step + 1));
  }
  for (double time = 0.0; time < 1.0;) {
    time = std::min(1.0, exact.next(time));
    EXPECT_EQ(std::ranges::count(ends, time), 1) << time;
  }
  const auto free = steps_of(StepControl(1.0, 0, kCfl, true), rate);
  EXPECT_LE(ends.size(), free.size() + 11 + 5) << "one step more to each time, and few for growth";
}

TEST(StepControl, GivenOtherExactTimesAtARestartThenTheStepIsChosenAnew) {
  StepControl control(1.0, 0, 0.5, true, Times(0.5));
  control.choose(0, 20.0);
  const Stretch first = control.stretch();
  ASSERT_EQ(first.end(), 0.5);
  StepControl same(1.0, 0, 0.5, true, Times(0.5));
  same.resume(3, first.time(3), first.dt(), control.choice());
  EXPECT_FALSE(same.is_due(3));
  StepControl other(1.0, 0, 0.5, true, Times(0.2));
  other.resume(3, first.time(3), first.dt(), control.choice());
  ASSERT_TRUE(other.is_due(3));
  other.choose(3, 20.0);
  EXPECT_EQ(other.stretch().end(), 0.2);
  StepControl none(1.0, 0, 0.5, true);
  none.resume(3, first.time(3), first.dt(), control.choice());
  ASSERT_TRUE(none.is_due(3));
  none.choose(3, 20.0);
  EXPECT_EQ(none.stretch().end(), 1.0);
}

TEST(StepControl, GivenASavedChoiceThenTheRunTakesTheStepsThatItWouldHaveTaken) {
  const auto rate = [](double time) { return 60.0 * (1.5 + std::sin(9.0 * time)); };
  StepControl control(1.0, 0, 0.6, true);
  control.choose(0, rate(0.0));
  for (int step = 0; step < 57; ++step) {
    if (control.is_due(step)) control.choose(step, rate(control.stretch().time(step)));
  }
  StepControl again(1.0, 0, 0.6, true);
  again.resume(57, control.stretch().time(57), control.stretch().dt(), control.choice());
  for (int step = 57; !control.is_over(step); ++step) {
    ASSERT_EQ(control.is_due(step), again.is_due(step)) << step;
    if (control.is_due(step)) {
      control.choose(step, rate(control.stretch().time(step)));
      again.choose(step, rate(again.stretch().time(step)));
    }
    ASSERT_EQ(control.stretch(), again.stretch()) << step;
  }
}

TEST(StepControl, GivenAnotherNumberOfStepsAtARestartThenWhatIsLeftIsDividedByThoseThatAreLeft) {
  StepControl control(2.0, 30, 0.0, true);
  control.resume(10, 1.0, 0.1, std::nullopt);  // of 20
  EXPECT_EQ(control.stretch(), Stretch(10, 1.0, 2.0, 20));
  StepControl other(2.0, 40, 0.0, true);
  other.resume(20, 1.5, 0.05, control.choice());
  EXPECT_EQ(other.stretch(), Stretch(20, 1.5, 2.0, 20));
  StepControl same(2.0, 30, 0.0, true);
  same.resume(20, 1.5, 0.05, control.choice());
  EXPECT_EQ(same.stretch(), control.stretch());
  StepControl longer(3.0, 30, 0.0, true);
  longer.resume(20, 1.5, 0.05, control.choice());
  EXPECT_EQ(longer.stretch(), Stretch(20, 1.5, 3.0, 10)) << "another end";
  StepControl none(2.0, 10, 0.0, true);
  EXPECT_THROW(none.resume(10, 1.0, 0.1, std::nullopt), std::invalid_argument);
}

TEST(StepControl, GivenStepsThatAreRefusedThenTheyAreHalvedUntilOneServes) {
  const auto rate = [](double) { return 10.0; };
  const auto refuses = [](int step, double, double dt) { return step >= 5 && dt > 0.004; };
  const auto lengths = steps_of(StepControl(1.0, 0, 0.5, true), rate, refuses);
  for (std::size_t step = 5; step < lengths.size(); ++step) EXPECT_LE(lengths[step], 0.004) << step;
  EXPECT_GT(lengths[4], 0.04);
}

TEST(StepControl, GivenStepsThatAreAlwaysRefusedThenItEnds) {
  const auto rate = [](double) { return 10.0; };
  const auto never = [](int, double, double) { return true; };
  EXPECT_THROW(steps_of(StepControl(1.0, 0, 0.5, true), rate, never), StepControl::StepTooShort);
  StepControl control(1.0, 0, 0.5, true);
  EXPECT_THROW(control.choose(0, 1e13), StepControl::StepTooShort);
}

}  // namespace
}  // namespace kumiko::amr
