// Contract: second order where the solution is smooth, the entropy solution where it is not,
// conservative by the fluxes that it returns, no value out of range up to the declared limit.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>

#include "patch_run.hpp"

namespace kumiko::solvers {
namespace {

using amr::FaceAxis;
using amr::kPatchSize;
using amr::Points;
using test::make;
using test::noise;
using test::PatchRun;

/// Nothing moves but u itself; u(x, t) exact for all times.
struct Still : amr::Case {
  std::function<double(double x, double t)> u = [](double, double) { return 0.0; };
  double duration = 1.0;

  double end_time() const override { return duration; }
  amr::Boundaries boundaries() const override {
    return {amr::BoundaryKind::kOutflow, amr::BoundaryKind::kPeriodic, 0.0};
  }
  bool steady_velocity() const override { return true; }
  void velocity(Points, double, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), 0.0);
    std::fill(velocity.y.begin(), velocity.y.end(), 0.0);
  }
  void initial(Points points, int component, std::span<double> values) const override {
    exact(points, component, 0.0, values);
  }
  bool exact(Points points, int, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = u(points.x[at], time);
    return true;
  }
};

std::unique_ptr<amr::Case> wave(double end_time) {
  const auto* const factory = plugin::find_case("burgers");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("end_time", end_time);
  return factory->make(parameters);
}

amr::SimulationOptions options(int n, int steps, int levels = 1) {
  amr::SimulationOptions result;
  result.points_x = n;
  result.points_y = n;
  result.levels = levels;
  result.steps = steps;
  result.time_interpolation = amr::TimeInterpolation::kQuadratic;
  return result;
}

/// A whole run on one level, serially.
struct WholeRun {
  WholeRun(const amr::Case& problem, const amr::Solver& solver, int n, int steps)
      : simulation(problem, solver, *backend, options(n, steps)), size(n) {
    simulation.advance(steps);
    l1 =
        amr::error_norms(simulation.hierarchy(), problem, simulation.time(), *backend)->l1_relative;
  }
  double at(int i, int j) const {
    const amr::Level& level = simulation.hierarchy().level(0);
    const int slot = simulation.hierarchy().mesh().find({0, i / kPatchSize, j / kPatchSize});
    return level.patch(static_cast<std::size_t>(slot)).now()(i % kPatchSize, j % kPatchSize);
  }

  std::unique_ptr<amr::Backend> backend = amr::make_backend("serial", 1);
  amr::Simulation simulation;
  int size;
  double l1;
};

class BurgersTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<amr::Solver> solver_ = make("burgers", "limiter", GetParam());
  Still still_;
};
INSTANTIATE_TEST_SUITE_P(With, BurgersTest,
                         ::testing::Values("minmod", "van_leer", "monotonized_central", "superbee"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(BurgersTest, GivenAWaveBeforeItBreaksThenTheOrderIsTwo) {
  const auto problem = wave(0.2);
  const double coarse = WholeRun(*problem, *solver_, 64, 64).l1;
  const double fine = WholeRun(*problem, *solver_, 128, 128).l1;
  EXPECT_GE(std::log2(coarse / fine), 1.85);
}

TEST_P(BurgersTest, GivenAShockThenTheErrorFallsToFirstOrderAndNothingOvershoots) {
  const auto problem = wave(0.6);
  const double coarse = WholeRun(*problem, *solver_, 64, 128).l1;
  const WholeRun fine(*problem, *solver_, 128, 256);
  EXPECT_GE(std::log2(coarse / fine.l1), 0.9);
  const auto figures = amr::field_figures(fine.simulation.hierarchy(), *fine.backend);
  EXPECT_LE(figures.maximum, 0.75);
  EXPECT_GE(figures.minimum, 0.25);
}

/// s = x + y, between 1/2 and 3/2, where the wave falls through its mean along the lowest row.
double shock_position(const WholeRun& run) {
  for (int i = 0; i < run.size; ++i) {
    const double here = run.at(i, 0);
    const double next = run.at((i + 1) % run.size, 0);
    if (here < 0.5 || next >= 0.5) continue;
    const double s = (i + 1.0 + (here - 0.5) / (here - next)) / run.size;
    return s < 0.5 ? s + 1.0 : s;
  }
  return std::nan("");
}

TEST(Burgers, GivenAShockThenItMovesWithTheMeanOfItsSides) {
  const auto solver = make("burgers");
  for (const double time : {0.4, 0.6, 0.8}) {
    const WholeRun run(*wave(time), *solver, 128, 320);
    EXPECT_NEAR(shock_position(run), 0.5 + time, 0.5 / 128) << "at t = " << time;
  }
}

TEST_P(BurgersTest, GivenARarefactionThroughRestThenItOpensInsteadOfStandingAsAShock) {
  still_.duration = 0.25;
  still_.u = [](double x, double t) {
    const double from = x - 0.5;
    return std::abs(from) >= t ? std::copysign(1.0, from) : from / t;
  };
  const double coarse = WholeRun(still_, *solver_, 64, 80).l1;
  const WholeRun fine(still_, *solver_, 128, 160);
  EXPECT_GE(std::log2(coarse / fine.l1), 0.7);
  EXPECT_LE(fine.at(64, 5) - fine.at(63, 5), 2.0 / (128 * 0.25)) << "the exact one is half that";
}

TEST_P(BurgersTest, GivenAShockAtRestThenItStaysToTheBit) {
  still_.u = [](double x, double) { return x < 0.5 ? 1.0 : -1.0; };
  const WholeRun run(still_, *solver_, 64, 320);
  EXPECT_EQ(run.l1, 0.0);
}

/// A step of noise in [-1, 1) at a CFL number.
std::unique_ptr<PatchRun> noisy(const amr::Solver& solver, double cfl, int first_i = 0,
                                int first_j = 0) {
  auto run = std::make_unique<PatchRun>(solver, Still(), 64, cfl / 128, first_i, first_j);
  run->fill([=](int i, int j) { return 2.0 * noise(first_i + i, first_j + j) - 1.0; });
  run->advance();
  return run;
}

TEST_P(BurgersTest, GivenNoiseAtTheDeclaredLimitThenNoValueLeavesTheRangeOfThoseAround) {
  const auto run = noisy(*solver_, solver_->traits().cfl_limit);
  constexpr int kReach = 4;
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) {
      const auto around = run->before.with_ghosts().block(PatchRun::kViewGhosts + j - kReach,
                                                          PatchRun::kViewGhosts + i - kReach,
                                                          2 * kReach + 1, 2 * kReach + 1);
      ASSERT_LE(run->after(i, j), around.maxCoeff() + 1e-15);
      ASSERT_GE(run->after(i, j), around.minCoeff() - 1e-15);
    }
  }
}

TEST_P(BurgersTest, GivenNoiseForManyStepsThenTheExtremesNeverGrow) {
  PatchRun run(*solver_, Still(), kPatchSize, 0.25 / kPatchSize);
  const auto wrapped = [](int i) { return (i + kPatchSize) % kPatchSize; };
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) run.after(i, j) = 2.0 * noise(i, j) - 1.0;
  }
  for (int step = 0; step < 200; ++step) {
    const double most = run.after.interior().maxCoeff();
    const double least = run.after.interior().minCoeff();
    run.fill([&](int i, int j) { return run.after(wrapped(i), wrapped(j)); });
    ASSERT_LE(solver_->state_cfl(run.before, run.coefficients), solver_->traits().cfl_limit);
    run.advance();
    ASSERT_LE(run.after.interior().maxCoeff(), most + 1e-15) << "step " << step;
    ASSERT_GE(run.after.interior().minCoeff(), least - 1e-15) << "step " << step;
  }
}

TEST_P(BurgersTest, GivenAConstantThenItStaysToTheBit) {
  PatchRun run(*solver_, Still(), 64, 0.01);
  run.fill([](int, int) { return -0.7; });
  run.advance();
  EXPECT_TRUE((run.after.interior() == -0.7).all());
}

TEST_P(BurgersTest, GivenTheTransposedStateThenTheResultIsTransposedToTheBit) {
  const auto run = noisy(*solver_, 0.4);
  PatchRun turned(*solver_, Still(), 64, 0.4 / 128);
  turned.fill([](int i, int j) { return 2.0 * noise(j, i) - 1.0; });
  turned.advance();
  EXPECT_TRUE((turned.after.interior() == run->after.interior().transpose()).all());
  for (int k = 0; k < kPatchSize; ++k) {
    ASSERT_EQ(turned.fluxes.line(FaceAxis::kX, 1)[k], run->fluxes.line(FaceAxis::kY, 1)[k]);
  }
}

TEST_P(BurgersTest, GivenAStepThenEachQuadrantsGainIsWhatFlowsThroughItsSides) {
  const auto run = noisy(*solver_, 0.4);
  for (const int quadrant : {0, 1, 2, 3}) {
    const double gain = run->gain(quadrant & 1, quadrant >> 1);
    EXPECT_NEAR(gain * run->spacing, -run->outflow(quadrant & 1, quadrant >> 1), 1e-14);
    EXPECT_GT(std::abs(gain), 1e-3) << "the check is empty";
  }
  const std::vector<double> with = run->after_values;
  solver_->advance(run->before, run->coefficients, run->after);
  EXPECT_EQ(run->after_values, with) << "the fluxes change nothing";
}

TEST_P(BurgersTest, GivenTwoNeighboursThenTheyGiveTheFaceBetweenThemTheSameBits) {
  const auto west = noisy(*solver_, 0.4, 16, 32);
  const auto east = noisy(*solver_, 0.4, 32, 32);
  const auto north = noisy(*solver_, 0.4, 16, 48);
  for (int k = 0; k < kPatchSize; ++k) {
    ASSERT_EQ(west->fluxes.line(FaceAxis::kX, 2)[k], east->fluxes.line(FaceAxis::kX, 0)[k]);
    ASSERT_EQ(west->fluxes.line(FaceAxis::kY, 2)[k], north->fluxes.line(FaceAxis::kY, 0)[k]);
  }
}

TEST_P(BurgersTest, GivenASmallStepThenTheTendencyIsTheChangeAndDoesNotDependOnTheRange) {
  PatchRun run(*solver_, Still(), 64, 1e-7);
  run.fill([](int i, int j) { return std::sin(0.3 * i) * std::cos(0.2 * j); });
  run.advance();
  constexpr int kWide = kPatchSize + amr::kTendencyGhosts;
  std::vector<double> values(run.before_values.size());
  const amr::PatchView whole(values.data(), 1, PatchRun::kViewGhosts);
  solver_->tendency(run.before, run.coefficients, {-2, kWide, -2, kWide}, whole);
  const auto change = run.after.interior() - run.before.interior();
  EXPECT_LE((whole.interior() - change).abs().maxCoeff(), 1e-4 * whole.interior().abs().maxCoeff());
  std::vector<double> parts(values.size());
  const amr::PatchView view(parts.data(), 1, PatchRun::kViewGhosts);
  solver_->tendency(run.before, run.coefficients, {-2, 5, -2, kWide}, view);
  solver_->tendency(run.before, run.coefficients, {5, kWide, -2, kWide}, view);
  EXPECT_EQ(parts, values);
}

TEST(Burgers, GivenAStateThenTheCflNumberIsTwiceItsLargestMagnitudePerCell) {
  const auto solver = make("burgers");
  PatchRun run(*solver, Still(), 64, 0.01, 0, 0, 2);
  EXPECT_EQ(run.cfl, 0.0) << "nothing is known before the state is";
  run.fill([](int i, int j) { return i == 3 && j == 9 ? -0.4 : 0.1; }, 0);
  run.fill([](int i, int j) { return i == 15 && j == 15 ? 0.3 : 0.1; }, 1);
  EXPECT_NEAR(solver->state_cfl(run.before, run.coefficients), 2 * 0.4 * 0.01 * 64, 1e-15);
  run.before(7, 7, 1) = std::nan("");
  EXPECT_TRUE(std::isnan(solver->state_cfl(run.before, run.coefficients)));
}

TEST(Burgers, GivenAShockOnSeveralLevelsThenTheMassStaysToRoundOff) {
  const auto problem = wave(0.5);
  const auto solver = make("burgers");
  const auto backend = amr::make_backend("threads", 2);
  amr::SimulationOptions mesh = options(48, 128, 3);
  mesh.refinement.buffer = 4;
  amr::Simulation run(*problem, *solver, *backend, mesh);
  const double before = amr::field_figures(run.hierarchy(), *backend).mass;
  run.advance(128);
  EXPECT_GT(run.hierarchy().level(2).size(), 0U);
  EXPECT_LT(run.hierarchy().level(2).size(), 144U) << "not everywhere";
  EXPECT_NEAR(amr::field_figures(run.hierarchy(), *backend).mass, before, 1e-14);
}

TEST(Burgers, GivenALimiterThatNobodyKnowsThenItIsRefused) {
  EXPECT_THROW(make("burgers", "limiter", "koren"), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::solvers
