// Contract: the wave of burgers.hpp and its entropy solution, before and after it breaks.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kBirth = 1.0 / std::numbers::pi;  ///< of the shock, 1 / (4π amplitude)

std::unique_ptr<amr::Case> make() {
  const plugin::CaseFactory* const factory = plugin::find_case("burgers");
  return factory->make(amr::defaults(factory->parameters));
}

double exact_at(const amr::Case& problem, double x, double y, double time) {
  double value = -1.0;
  EXPECT_TRUE(problem.exact({{&x, 1}, {&y, 1}}, 0, time, {&value, 1}));
  return value;
}

double start(double s) { return 0.5 + 0.25 * std::sin(kTwoPi * s); }

TEST(BurgersCase, GivenTheStartThenTheWaveIsTheFormula) {
  const auto problem = make();
  for (const double x : {0.0, 0.125, 0.4, 0.77}) {
    for (const double y : {0.0, 0.3, 0.9}) {
      double value = 0.0;
      problem->initial({{&x, 1}, {&y, 1}}, 0, {&value, 1});
      EXPECT_DOUBLE_EQ(value, start(x + y));
      EXPECT_NEAR(exact_at(*problem, x, y, 0.0), value, 1e-15);
    }
  }
  EXPECT_GT(problem->end_time(), kBirth);
}

TEST(BurgersCase, GivenTimesBeforeTheShockThenTheSolutionIsConstantAlongCharacteristics) {
  const auto problem = make();
  for (const double time : {0.01, 0.1, 0.2, 0.3, 0.999 * kBirth}) {
    for (int k = 0; k < 1000; ++k) {
      const double foot = k / 1000.0;
      const double s = foot + 2.0 * start(foot) * time;
      // Where the wave is steepest, a rounding of s is magnified by its slope.
      const double tolerance = time < 0.25 ? 1e-14 : 1e-12;
      ASSERT_NEAR(exact_at(*problem, s - 0.25, 0.25, time), start(foot), tolerance)
          << "t = " << time << ", foot " << foot;
    }
  }
}

TEST(BurgersCase, GivenTimesAfterItThenTheValueIsThatOfTheFootThatTheLaxFormulaPicks) {
  // Lax 1957: of all feet s₀, the one that makes U₀(s₀) + (s - s₀)² / 4t least, with U₀' = u₀.
  const auto problem = make();
  constexpr int kFeet = 40000;
  for (const double time : {0.4, 0.6, 1.5}) {
    for (const double s : {0.03, 0.21, 0.37, 0.52, 0.68, 0.83, 0.94}) {
      double least = 1e9;
      double best = 0.0;
      for (int k = 0; k < kFeet; ++k) {
        const double foot = s - 3.0 + 4.0 * k / kFeet;
        const double area = 0.5 * foot - 0.25 * std::cos(kTwoPi * foot) / kTwoPi;
        const double cost = area + (s - foot) * (s - foot) / (4.0 * time);
        if (cost < least) {
          least = cost;
          best = foot;
        }
      }
      EXPECT_NEAR(exact_at(*problem, s, 0.0, time), start(best), 3e-4) << time << ' ' << s;
    }
  }
}

TEST(BurgersCase, GivenAShockThenItLiesWhereTheMeanSpeedHasTakenItAndFalls) {
  const auto problem = make();
  for (const double time : {0.4, 0.6, 0.8}) {
    const double shock = 0.5 + time;
    const double left = exact_at(*problem, shock - 1e-9, 0.0, time);
    const double right = exact_at(*problem, shock + 1e-9, 0.0, time);
    EXPECT_GT(left - right, 0.2);
    EXPECT_NEAR(left + right, 1.0, 1e-6) << "Rankine and Hugoniot: the speed is their sum";
  }
}

TEST(BurgersCase, GivenAnyTimeThenTheMeanStaysAndTheRangeDoesNotGrow) {
  const auto problem = make();
  for (const double time : {0.1, kBirth, 0.7, 3.0}) {
    double sum = 0.0;
    constexpr int kPoints = 4000;
    for (int k = 0; k < kPoints; ++k) {
      const double value = exact_at(*problem, (k + 0.5) / kPoints, 0.0, time);
      ASSERT_GE(value, 0.25);
      ASSERT_LE(value, 0.75);
      sum += value;
    }
    EXPECT_NEAR(sum / kPoints, 0.5, 1e-4) << time;
  }
}

TEST(BurgersCase, GivenNoAmplitudeThenItIsAConstant) {
  const plugin::CaseFactory* const factory = plugin::find_case("burgers");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("amplitude", 0.0);
  EXPECT_EQ(exact_at(*factory->make(parameters), 0.3, 0.9, 2.0), 0.5);
}

}  // namespace
}  // namespace kumiko::cases
