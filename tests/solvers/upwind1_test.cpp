// Contract: donor cells: first order, conservative by the fluxes that it returns, no value out of
// the range of those around it up to the limit that it declares.
#include <cmath>
#include <numbers>

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

constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// A sine on a periodic square that a uniform or turning wind carries, with vortices if asked for.
struct Wind : amr::Case {
  double vx = 0.8;
  double vy = -0.6;
  double vortices = 0.0;
  bool turning = false;
  int fields = 1;

  double end_time() const override { return 1.0; }
  int components() const override { return fields; }
  amr::Boundaries boundaries() const override {
    return {amr::BoundaryKind::kPeriodic, amr::BoundaryKind::kPeriodic, 0.0};
  }
  bool steady_velocity() const override { return !turning; }
  double phase(double time) const { return turning ? std::sin(kTwoPi * time) / kTwoPi : time; }
  double speed(double time) const { return turning ? std::cos(kTwoPi * time) : 1.0; }
  void initial(Points points, int component, std::span<double> values) const override {
    exact(points, component, 0.0, values);
  }
  bool exact(Points points, int component, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double x = points.x[at] - vx * phase(time);
      const double y = points.y[at] - vy * phase(time);
      values[at] = (component + 1) * std::sin(kTwoPi * x) * std::sin(kTwoPi * y);
    }
    return true;
  }
  void velocity(Points points, double time, amr::Vectors velocity) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = vx * speed(time);
      velocity.y[at] = vy * speed(time);
    }
  }
  bool stream_function(Points points, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double x = points.x[at];
      const double y = points.y[at];
      values[at] = (vx * y - vy * x) * speed(time) +
                   vortices * std::sin(kTwoPi * x) * std::cos(kTwoPi * y) / kTwoPi;
    }
    return true;
  }
};

amr::SimulationOptions options(int n, int steps, int levels = 1) {
  amr::SimulationOptions result;
  result.points_x = n;
  result.points_y = n;
  result.levels = levels;
  result.steps = steps;
  result.time_interpolation = amr::TimeInterpolation::kLinear;
  return result;
}

double l1_error(const Wind& problem, int n) {
  const auto solver = make("upwind1");
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(problem, *solver, *backend, options(n, 2 * n));
  run.advance(n / 4);
  return amr::error_norms(run.hierarchy(), problem, run.time(), *backend)->l1_relative;
}

TEST(Upwind1, GivenASteadyOrATurningWindThenTheOrderIsOne) {
  for (const bool turning : {false, true}) {
    Wind wind;
    wind.turning = turning;
    const double order = std::log2(l1_error(wind, 128) / l1_error(wind, 256));
    EXPECT_NEAR(order, 1.0, 0.1) << turning;
  }
}

TEST(Upwind1, GivenOneStepThenItIsTheTextbooksFormula) {
  for (const double sign : {1.0, -1.0}) {
    Wind wind;
    wind.vx = 0.8 * sign;
    wind.vy = -0.6 * sign;
    const auto solver = make("upwind1");
    PatchRun run(*solver, wind, 64, 0.01, 16, 32);
    run.fill(noise);
    run.advance();
    const double cx = 0.8 * 0.64;
    const double cy = 0.6 * 0.64;
    const int back = sign > 0.0 ? -1 : 1;
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        const double expected =
            (1.0 - cx - cy) * noise(i, j) + cx * noise(i + back, j) + cy * noise(i, j - back);
        ASSERT_NEAR(run.after(i, j), expected, 1e-13) << i << ' ' << j;
      }
    }
  }
}

TEST(Upwind1, GivenTwoComponentsThenEachIsAdvancedAsIfAlone) {
  Wind wind;
  wind.vortices = 0.3;
  const auto solver = make("upwind1");
  PatchRun both(*solver, wind, 64, 0.005, 0, 0, 2);
  both.fill(noise, 0);
  both.fill([](int i, int j) { return noise(j, i + 5); }, 1);
  both.advance();
  PatchRun alone(*solver, wind, 64, 0.005);
  for (int component = 0; component < 2; ++component) {
    alone.before.with_ghosts() = both.before.with_ghosts(component);
    alone.advance();
    EXPECT_TRUE((both.after.interior(component) == alone.after.interior()).all());
    for (int line = 0; line < 3; ++line) {
      for (const FaceAxis axis : {FaceAxis::kX, FaceAxis::kY}) {
        ASSERT_EQ(both.fluxes.line(axis, line, component)[7], alone.fluxes.line(axis, line)[7]);
      }
    }
  }
}

TEST(Upwind1, GivenAStepThenEachQuadrantsGainIsWhatFlowsThroughItsSides) {
  Wind wind;
  wind.vortices = 0.5;
  const auto solver = make("upwind1");
  PatchRun run(*solver, wind, 64, 0.005, 16, 16);
  run.fill(noise);
  run.advance();
  for (const int quadrant : {0, 1, 2, 3}) {
    const double gain = run.gain(quadrant & 1, quadrant >> 1);
    EXPECT_NEAR(gain * run.spacing, -run.outflow(quadrant & 1, quadrant >> 1), 1e-14);
    EXPECT_GT(std::abs(gain), 1e-3) << "the check is empty";
  }
  const std::vector<double> with = run.after_values;
  solver->advance(run.before, run.coefficients, run.after);
  EXPECT_EQ(run.after_values, with) << "the fluxes change nothing";
}

TEST(Upwind1, GivenTwoNeighboursThenTheyGiveTheFaceBetweenThemTheSameBits) {
  Wind wind;
  wind.vortices = 0.5;
  const auto solver = make("upwind1");
  PatchRun west(*solver, wind, 64, 0.005, 16, 32);
  PatchRun east(*solver, wind, 64, 0.005, 32, 32);
  PatchRun north(*solver, wind, 64, 0.005, 16, 48);
  west.fill([](int i, int j) { return noise(16 + i, 32 + j); });
  east.fill([](int i, int j) { return noise(32 + i, 32 + j); });
  north.fill([](int i, int j) { return noise(16 + i, 48 + j); });
  for (PatchRun* const run : {&west, &east, &north}) run->advance();
  for (int k = 0; k < kPatchSize; ++k) {
    ASSERT_EQ(west.fluxes.line(FaceAxis::kX, 2)[k], east.fluxes.line(FaceAxis::kX, 0)[k]);
    ASSERT_EQ(west.fluxes.line(FaceAxis::kY, 2)[k], north.fluxes.line(FaceAxis::kY, 0)[k]);
  }
}

/// Largest value of a periodic patch of noise in [-0.5, 0.5) after 200 steps at a CFL number.
double growth(double cfl) {
  Wind wind;
  wind.vx = 0.5;
  wind.vy = 0.5;
  const auto solver = make("upwind1");
  PatchRun run(*solver, wind, kPatchSize, cfl / kPatchSize);
  EXPECT_NEAR(run.cfl, cfl, 1e-12) << "the sum over both axes";
  const auto wrapped = [](int i) { return (i + kPatchSize) % kPatchSize; };
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) run.after(i, j) = noise(i, j) - 0.5;
  }
  for (int step = 0; step < 200; ++step) {
    run.fill([&](int i, int j) { return run.after(wrapped(i), wrapped(j)); });
    run.advance();
  }
  return run.after.interior().abs().maxCoeff();
}

TEST(Upwind1, GivenTheDeclaredLimitThenNoiseDoesNotGrowButAboveItItDoes) {
  EXPECT_LE(growth(make("upwind1")->traits().cfl_limit), 0.5);
  EXPECT_GT(growth(1.1), 10.0);
}

TEST(Upwind1, GivenSeveralLevelsAndOneGhostLayerThenMassStaysAndNothingOvershoots) {
  Wind wind;
  wind.vortices = 0.3;
  wind.fields = 2;
  const auto solver = make("upwind1");
  const auto backend = amr::make_backend("threads", 2);
  amr::SimulationOptions mesh = options(48, 200, 3);
  mesh.refinement.threshold = 0.05;
  amr::Simulation run(wind, *solver, *backend, mesh);
  const double before = amr::field_figures(run.hierarchy(), *backend).mass;
  run.advance(60);
  EXPECT_GT(run.hierarchy().level(2).size(), 0U);
  const amr::FieldFigures figures = amr::field_figures(run.hierarchy(), *backend);
  EXPECT_NEAR(figures.mass, before, 1e-14);
  ASSERT_EQ(figures.components.size(), 2U);
  EXPECT_LE(figures.components[0].maximum, 1.0);
  EXPECT_GE(figures.components[0].minimum, -1.0);
}

}  // namespace
}  // namespace kumiko::solvers
