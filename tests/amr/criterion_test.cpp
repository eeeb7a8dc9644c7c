// Contract: each criterion is the formula of docs/reference/numerics.md at every point, the largest
// component counts, and a case's own indicator is handed what it needs and held against the
// thresholds.
#include "refinement/criterion.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"
#include "refinement/gradient.hpp"
#include "refinement/loehner.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::FunctionCase;
using test::run_options;

/// A patch's values with two ghost layers, from a function of (i, j, component).
class Field {
 public:
  template <class F>
  Field(int components, F f)
      : values_(PatchView::size(components, 2)), view_(values_.data(), components, 2) {
    for (int component = 0; component < components; ++component) {
      for (int j = -2; j < kPatchSize + 2; ++j) {
        for (int i = -2; i < kPatchSize + 2; ++i) view_(i, j, component) = f(i, j, component);
      }
    }
  }
  PatchView view() const { return view_; }

 private:
  std::vector<double> values_;
  PatchView view_;
};

double loehner_at_8_8(const Field& field, double delta, double floor) {
  IndicatorField indicator;
  const std::vector<double> floors(static_cast<std::size_t>(field.view().components()), floor);
  loehner_indicator(field.view(), delta, floors, 0.0, indicator);
  return indicator.values[8 * kPatchSize + 8];
}

double gradient_at_8_8(const Field& field) {
  IndicatorField indicator;
  gradient_indicator(field.view(), indicator);
  return indicator.values[8 * kPatchSize + 8];
}

TEST(Loehner, GivenTheMachinesVectorsThenBitsAndRowsPassedOverAreTheBaselines) {
  const LoehnerKernel kernel =
      select(&loehner_rows_baseline, &loehner_rows_avx2, &loehner_rows_avx512);
  // Waves in the upper half, nothing in the lower one, a little in between.
  const Field field(1, [](int i, int j, int) {
    return j < 6 ? 0.25 : j < 9 ? 1e-9 * i * i * j : std::sin(0.7 * i + 0.1 * i * j) / 3.0;
  });
  for (const double limit : {0.0, 1e-6, 10.0}) {
    const LoehnerArguments of{field.view().origin(0), field.view().stride(), 0.05, 0.01, limit};
    std::array<double, kPatchPoints> values{};
    std::array<double, kPatchPoints> expected{};
    EXPECT_EQ(kernel(of, values.data()), limit < 10.0);
    EXPECT_EQ(loehner_rows_baseline(of, expected.data()), limit < 10.0);
    EXPECT_EQ(values, expected) << limit;
    EXPECT_EQ(values[4 * kPatchSize + 3], 0.0) << limit;
    EXPECT_EQ(values[7 * kPatchSize + 3] > 0.0, limit == 0.0) << limit;
  }
}

TEST(Loehner, GivenAStepThenTheIndicatorIsTheClosedForm) {
  // u = 0 | 1 between 8 and 9: |0 - 0 + 1| / (0 + 1 + δ (0 + 0 + 1) + floor).
  const Field step(1, [](int i, int, int) { return i > 8 ? 1.0 : 0.0; });
  EXPECT_NEAR(loehner_at_8_8(step, 0.05, 0.01), 1.0 / 1.06, 1e-12);
  EXPECT_NEAR(loehner_at_8_8(step, 0.05, 0.0), 1.0 / 1.05, 1e-12);
}

TEST(Loehner, GivenAParabolaAlongYThenTheLargerDirectionCounts) {
  // u = j²: 2 / (|2j - 1| + |2j + 1| + δ ((j-1)² + 2 j² + (j+1)²)) at j = 8.
  const Field parabola(1, [](int, int j, int) { return static_cast<double>(j * j); });
  EXPECT_NEAR(loehner_at_8_8(parabola, 0.2, 0.0), 2.0 / (32.0 + 0.2 * (49 + 128 + 81)), 1e-12);
}

TEST(Loehner, GivenAConstantOrLinearFieldThenTheIndicatorVanishes) {
  EXPECT_LT(loehner_at_8_8(Field(1, [](int, int, int) { return 3.0; }), 0.05, 0.0), 1e-12);
  EXPECT_LT(loehner_at_8_8(Field(1, [](int i, int j, int) { return 2.0 * i - j; }), 0.05, 0.0),
            1e-12);
}

TEST(Loehner, GivenNothingButZerosAndNoFloorThenZeroByZeroIsZero) {
  EXPECT_EQ(loehner_at_8_8(Field(1, [](int, int, int) { return 0.0; }), 0.05, 0.0), 0.0);
}

TEST(Loehner, GivenTwoComponentsThenTheLargestWins) {
  const auto rough = [](int i, int j, int component) {
    return component == 1 && i == 8 && j == 8 ? 1.0 : 0.5;
  };
  const auto swapped = [&](int i, int j, int component) { return rough(i, j, 1 - component); };
  const auto alone = [&](int i, int j, int) { return rough(i, j, 1); };
  const double expected = loehner_at_8_8(Field(1, alone), 0.05, 0.01);
  EXPECT_GT(expected, 0.5);
  EXPECT_EQ(loehner_at_8_8(Field(2, rough), 0.05, 0.01), expected);
  EXPECT_EQ(loehner_at_8_8(Field(2, swapped), 0.05, 0.01), expected);
}

TEST(Loehner, GivenABoundThenExactlyTheSamePointsExceedItAsWithoutOne) {
  // Ripples of every size on smooth ground, so that rows lie on both sides of the short cut.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-16.0, 0.0);
  std::uniform_real_distribution<double> sign(-1.0, 1.0);
  int above = 0;
  int short_cuts = 0;
  for (int round = 0; round < 300; ++round) {
    const double size = std::pow(10.0, exponent(random));
    const double slope = 0.01 * std::pow(10.0, exponent(random));
    const Field field(
        2, [&](int i, int j, int) { return slope * (i - 2.0 * j) + size * sign(random); });
    IndicatorField with;
    IndicatorField without;
    const double bound = 0.1;
    const std::array<double, 2> floors = {round % 3 == 0 ? 0.0 : 0.01, 0.02};
    loehner_indicator(field.view(), 0.05, floors, bound, with);
    loehner_indicator(field.view(), 0.05, floors, 0.0, without);
    for (std::size_t at = 0; at < kPatchPoints; ++at) {
      ASSERT_EQ(with.values[at] > bound, without.values[at] > bound);
      above += without.values[at] > bound ? 1 : 0;
      short_cuts += with.values[at] != without.values[at] ? 1 : 0;
    }
  }
  EXPECT_GT(above, 1000);
  EXPECT_GT(short_cuts, 1000);
}

TEST(Gradient, GivenASlopeThenTheIndicatorIsTheLargestDifferenceToANeighbour) {
  const auto f = [](int i, int j, int) { return 0.5 * i * i - 3.0 * j; };
  // Towards i + 1: 0.5 (81 - 64) = 8.5; towards i - 1: 7.5; along y: 3.
  EXPECT_EQ(gradient_at_8_8(Field(1, f)), 8.5);
  EXPECT_EQ(gradient_at_8_8(Field(1, [&](int i, int j, int) { return f(16 - i, j, 0); })), 8.5);
  EXPECT_EQ(gradient_at_8_8(Field(1, [&](int i, int j, int) { return f(j, i, 0); })), 8.5);
  EXPECT_EQ(gradient_at_8_8(Field(1, [&](int i, int j, int) { return f(16 - j, i, 0); })), 8.5);
}

TEST(Gradient, GivenTwoComponentsThenTheLargestWins) {
  EXPECT_EQ(gradient_at_8_8(Field(2, [](int i, int, int c) { return c == 0 ? 2.0 * i : i; })), 2.0);
  EXPECT_EQ(gradient_at_8_8(Field(2, [](int i, int, int c) { return c == 1 ? 2.0 * i : i; })), 2.0);
}

TEST(Gradient, GivenAFrontThenItIsRefinedAndTheRestIsNot) {
  FunctionCase problem;
  problem.sides = {};
  // Of width 1/8: 0.25 between neighbours at most on 64 points, 0.13 on 128, 0.06 on 256.
  problem.u = [](double x, double) { return 0.5 * (1.0 + std::tanh((x - 0.5) * 32.0)); };
  problem.sides.right = {BoundaryKind::kFixedValue, 1.0};
  problem.sides.bottom = problem.sides.top = {BoundaryKind::kOutflow, 0.0};
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 4, 64);
  options.refinement.criterion = Criterion::kGradient;
  options.refinement.threshold = 0.1;
  const Simulation run(problem, *solver, *backend, options);
  EXPECT_EQ(run.hierarchy().used_levels(), 3)
      << "refinement ends where the points resolve the front";
  for (int index = 1; index < 3; ++index) {
    const Level& level = run.hierarchy().level(index);
    const double width = 1.0 / run.hierarchy().geometry().patches_x(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      ASSERT_LT(std::abs((level.patch(slot).id().i + 0.5) * width - 0.5), 0.1 + width);
    }
  }
}

/// Refines around a point that circles, down to a length, whatever the field holds.
struct CirclingCase : FunctionCase {
  static constexpr double kRadius = 0.08;
  bool has_indicator = true;
  mutable std::atomic<int> calls = 0;

  bool refinement_indicator(const RefinementPatch& patch,
                            std::span<double> indicator) const override {
    if (!has_indicator) return false;
    ++calls;
    EXPECT_EQ(patch.points.size(), static_cast<std::size_t>(kPatchPoints));
    EXPECT_EQ(indicator.size(), static_cast<std::size_t>(kPatchPoints));
    EXPECT_EQ(patch.spacing, 1.0 / (64 << patch.level));
    EXPECT_EQ(patch.points.x[1] - patch.points.x[0], patch.spacing);
    for (std::size_t at = 0; at < indicator.size(); ++at) {
      const int i = static_cast<int>(at) % kPatchSize;
      const int j = static_cast<int>(at) / kPatchSize;
      EXPECT_EQ(patch.field(i, j), u(patch.points.x[at], patch.points.y[at]));
      const double dx = patch.points.x[at] - (0.5 + 0.25 * std::cos(patch.time));
      const double dy = patch.points.y[at] - (0.5 + 0.25 * std::sin(patch.time));
      indicator[at] = 10.0 * kRadius / std::hypot(dx, dy);
    }
    return true;
  }
};

SimulationOptions user_options() {
  SimulationOptions options = run_options(64, 3, 64);
  options.refinement.criterion = Criterion::kUser;
  options.refinement.threshold = 10.0;
  return options;
}

TEST(UserCriterion, GivenACasesIndicatorThenTheMeshFollowsItsThresholdInTime) {
  CirclingCase problem;
  problem.duration = 2.0;
  problem.u = [](double, double) { return 0.25; };
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  Simulation run(problem, *solver, *backend, user_options());
  for (int step = 0; step < 64; step += 4) {
    const Hierarchy& mesh = run.hierarchy();
    // The mesh stands as of the last regrid, at the start of the last four steps.
    const double time = std::max(0, step - 4) * run.dt();
    for (int index = 1; index < 3; ++index) {
      const double size = 1.0 / mesh.geometry().patches_x(index);
      const PatchId centre{index, static_cast<int>((0.5 + 0.25 * std::cos(time)) / size),
                           static_cast<int>((0.5 + 0.25 * std::sin(time)) / size)};
      ASSERT_GE(mesh.mesh().find(centre), 0) << to_string(centre) << " step " << step;
      const double reach = CirclingCase::kRadius + 2.0 / 64 + std::sqrt(2.0) * size;
      EXPECT_LT(static_cast<double>(mesh.level(index).size()) * size * size, 3.15 * reach * reach);
    }
    run.advance(4);
  }
  EXPECT_GT(problem.calls.load(), 0);
}

TEST(UserCriterion, GivenACaseWithoutAnIndicatorThenItIsRefusedBeforeTheRun) {
  CirclingCase problem;
  problem.has_indicator = false;
  const auto solver = cubic_solver();
  const auto backend = make_backend("threads", 2);
  try {
    Simulation(problem, *solver, *backend, user_options());
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("`criterion` is user; "), std::string::npos)
        << error.what();
  }
}

TEST(UserCriterion, GivenAnIndicatorThatIsNotANumberThenThePointIsNamed) {
  struct BrokenCase : FunctionCase {
    bool refinement_indicator(const RefinementPatch& patch,
                              std::span<double> indicator) const override {
      std::fill(indicator.begin(), indicator.end(), 0.0);
      if (patch.points.x[0] == 0.25 && patch.points.y[0] == 0.5) {
        indicator[3 * kPatchSize + 7] = std::numeric_limits<double>::quiet_NaN();
      }
      return true;
    }
  };
  const BrokenCase problem;
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  try {
    Simulation(problem, *solver, *backend, user_options());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("point (7, 3) of level 0 patch (1, 2)"),
              std::string::npos)
        << error.what();
  }
}

struct StillCirclingCase : CirclingCase {
  StillCirclingCase() {
    duration = 2.0;
    u = [](double, double) { return 0.25; };
  }
};

/// CirclingCase's indicator, for any case.
SimulationOptions own_options() {
  SimulationOptions options = user_options();
  options.refinement.indicator = [](const RefinementPatch& patch, std::span<double> indicator) {
    StillCirclingCase().refinement_indicator(patch, indicator);
  };
  return options;
}

TEST(UserCriterion, GivenTheRunsOwnIndicatorThenTheMeshIsThatOfACaseWithTheSame) {
  const StillCirclingCase problem;
  StillCirclingCase other;
  other.has_indicator = false;
  const auto solver = cubic_solver();
  const auto backend = make_backend("threads", 2);
  Simulation by_case(problem, *solver, *backend, user_options());
  Simulation by_option(other, *solver, *backend, own_options());
  by_case.advance(12);
  by_option.advance(12);
  EXPECT_GT(by_case.hierarchy().level(2).size(), 0U);
  EXPECT_EQ(state_hash(by_option.hierarchy()), state_hash(by_case.hierarchy()));
}

TEST(UserCriterion, GivenTheRunsOwnIndicatorThenItGoesBeforeTheCasesOwn) {
  const StillCirclingCase problem;
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  const Simulation run(problem, *solver, *backend, own_options());
  EXPECT_EQ(problem.calls.load(), 0);
}

TEST(UserCriterion, GivenAnIndicatorThatNoCriterionAsksForThenItIsRefused) {
  SimulationOptions options = own_options();
  options.refinement.criterion = Criterion::kGradient;
  EXPECT_THROW(check(options), std::invalid_argument);
}

TEST(RefinementOptions, GivenAThresholdThatTheCriterionCannotReachThenItIsRefused) {
  SimulationOptions options;
  options.refinement.threshold = 1.5;
  EXPECT_THROW(check(options), OptionError);
  options.refinement.criterion = Criterion::kGradient;
  EXPECT_NO_THROW(check(options));
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    options.refinement.threshold = wrong;
    EXPECT_THROW(check(options), OptionError) << wrong;
  }
}

}  // namespace
}  // namespace kumiko::amr
