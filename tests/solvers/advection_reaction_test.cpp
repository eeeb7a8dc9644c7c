// Contract: a Rosenbrock method of order 3 that stiff decay does not shake, sub-steps only where
// something burns, and a step that carries and reacts to the closed form; stiff fronts that the
// grid does not resolve move at the speeds that LeVeque & Yee found.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

#include "advection_reaction/bistable.hpp"

namespace kumiko::solvers {
namespace {

using advection_reaction::Bistable;
using advection_reaction::integrate;
using advection_reaction::Rate;

constexpr double kTolerance = 1e-10;

/// u after a time of Bistable, by Bernoulli's equation for u - 1/2.
double closed_form(double u, double mu, double time) {
  const double w = u - 0.5;
  const double decay = std::exp(-0.5 * mu * time);
  return 0.5 + w / std::sqrt(decay + 4.0 * w * w * (1.0 - decay));
}

/// Counts how often a rate is asked for.
template <class Source>
struct Counted {
  Source source;
  mutable int evaluations = 0;
  Rate rate(double u) const {
    ++evaluations;
    return source.rate(u);
  }
};

/// du/dt = slope (u - rest).
struct Decay {
  double slope;
  double rest;
  Rate rate(double u) const { return {slope * (u - rest), slope}; }
};

double fixed_steps_error(int steps) {
  const Bistable source{1.0};
  double u = 0.3;
  for (int n = 0; n < steps; ++n) {
    u = rosenbrock_step(source, u, source.rate(u), 2.0 / steps).value;
  }
  return std::abs(u - closed_form(0.3, 1.0, 2.0));
}

TEST(Rosenbrock, GivenShorterStepsThenTheOrderIs3AndTheEstimateCoversTheError) {
  EXPECT_NEAR(std::log2(fixed_steps_error(64) / fixed_steps_error(128)), 3.0, 0.1);
  const Bistable source{1.0};
  for (const double u : {0.1, 0.3, 0.48, 0.7, 0.95}) {
    for (const double h : {0.3, 0.1, 0.03}) {
      const auto step = rosenbrock_step(source, u, source.rate(u), h);
      EXPECT_LE(std::abs(step.value - closed_form(u, 1.0, h)), std::abs(step.error))
          << u << ' ' << h;
    }
  }
}

TEST(Rosenbrock, GivenDecayFarFasterThanTheStepThenItIsAtRestAfterIt) {
  const Decay source{-1e12, 0.25};
  EXPECT_NEAR(rosenbrock_step(source, 1.0, source.rate(1.0), 1.0).value, 0.25, 1e-9);
}

TEST(Integrate, GivenAnyStiffnessThenItIsTheClosedForm) {
  for (const double mu : {0.1, 1.0, 10.0, 1000.0, 1e6}) {
    for (double u = -0.3; u < 1.4; u += 0.0371) {
      ASSERT_NEAR(integrate(Bistable{mu}, u, 0.7, kTolerance), closed_form(u, mu, 0.7), 1e-7)
          << mu << ' ' << u;
    }
  }
}

TEST(Integrate, GivenAnyDistanceFromWhatRepelsThenLooseTolerancesLetItGrow) {
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    for (int digits = 1; digits <= 15; ++digits) {
      const double distance = std::pow(10.0, -digits);
      for (const double u : {0.5 - distance, 0.5 + distance}) {
        // By exp(growth) until it is no longer small.
        for (const double growth : {0.4, 1.0, 3.0, 8.0, 12.0, 20.0, 30.0, 1000.0}) {
          const double mu = 4.0 * growth;
          ASSERT_NEAR(integrate(Bistable{mu}, u, 1.0, tolerance), closed_form(u, mu, 1.0), 0.02)
              << tolerance << ' ' << distance << ' ' << growth;
        }
      }
    }
  }
}

TEST(Integrate, GivenEquilibriumThenOneEvaluationLeavesItToTheBit) {
  for (const double u : {0.0, 0.5, 1.0, 1.0 + 1e-14}) {
    const Counted<Bistable> source{{100.0}};
    EXPECT_EQ(integrate(source, u, 0.05, kTolerance), u);
    EXPECT_EQ(source.evaluations, 1);
  }
}

TEST(Integrate, GivenWhatBurnsThenItTakesAsManyStepsAsItsToleranceAsksFor) {
  const auto evaluations = [](double mu, double tolerance) {
    const Counted<Bistable> source{{mu}};
    integrate(source, 0.3, 0.01, tolerance);
    return source.evaluations;
  };
  EXPECT_GT(evaluations(8.0, 1e-10), 10);
  EXPECT_GT(evaluations(80.0, 1e-10), 4 * evaluations(8.0, 1e-10));
  EXPECT_LT(evaluations(8.0, 1e-6), 4);
}

TEST(Integrate, GivenNoNumberOrOneBeyondReachThenTheResultIsNoNumber) {
  for (const double u :
       {std::numeric_limits<double>::quiet_NaN(), 1e200, std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(std::isnan(integrate(Bistable{1.0}, u, 1.0, kTolerance))) << u;
  }
}

std::unique_ptr<amr::Solver> make(double rate) {
  const plugin::SolverFactory* const factory = plugin::find_solver("advection_reaction");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("rate", rate);
  return factory->make(parameters);
}

/// A wave that a uniform wind along both axes carries over the periodic square while it reacts; or
/// LeVeque & Yee's front at x = 0.3, which moves to the right at speed 1, and its mirror image.
struct Reacting : amr::Case {
  double mu = 0.0;
  bool front = false;

  double end_time() const override { return 0.3; }
  amr::Boundaries boundaries() const override {
    return {amr::BoundaryKind::kPeriodic, amr::BoundaryKind::kPeriodic, 0.0};
  }
  bool steady_velocity() const override { return true; }
  void velocity(amr::Points, double, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), 1.0);
    std::fill(velocity.y.begin(), velocity.y.end(), front ? 0.0 : -0.7);
  }
  void initial(amr::Points points, int component, std::span<double> values) const override {
    exact(points, component, 0.0, values);
  }
  bool exact(amr::Points points, int, double time, std::span<double> values) const override {
    return evaluate(points, values, [&](double x, double y) {
      const double from = x - time - std::floor(x - time);
      if (front) return from > 0.05 && from < 0.3 ? 1.0 : 0.0;
      constexpr double kTwoPi = 6.283185307179586;
      const double wave = std::sin(kTwoPi * from) * std::sin(kTwoPi * (y + 0.7 * time));
      return closed_form(0.5 + 0.45 * wave, mu, time);
    });
  }
};

amr::SimulationOptions options(int n, int steps, int levels = 1) {
  amr::SimulationOptions result;
  result.points_x = n;
  result.points_y = n;
  result.steps = steps;
  result.levels = levels;
  return result;
}

TEST(AdvectionReaction, GivenAWaveThatReactsThenTheOrderIsThatOfTheInterpolation) {
  Reacting problem;
  problem.mu = 6.0;
  const auto solver = make(problem.mu);
  const auto backend = amr::make_backend("serial", 1);
  const auto error = [&](int n) {
    amr::Simulation run(problem, *solver, *backend, options(n, 2 * n / 5));
    run.advance(2 * n / 5);
    return amr::error_norms(run.hierarchy(), problem, run.time(), *backend)->rms;
  };
  EXPECT_NEAR(std::log2(error(80) / error(160)), 3.0, 0.25);
}

TEST(AdvectionReaction, GivenNoRateThenTheBitsAreThoseOfTheAdvection) {
  const Reacting problem;
  const auto backend = amr::make_backend("serial", 1);
  std::set<std::string> hashes;
  for (const char* name : {"advection_reaction", "semi_lagrangian_cubic"}) {
    const auto solver = plugin::find_solver(name)->make({});
    amr::Simulation run(problem, *solver, *backend, options(64, 32));
    run.advance(32);
    hashes.insert(amr::state_hash(run.hierarchy()));
  }
  EXPECT_EQ(hashes.size(), 1U);
}

TEST(AdvectionReaction, GivenSeveralLevelsThenBackendsAndSchedulesGiveTheSameBits) {
  Reacting problem;
  problem.front = true;
  const auto solver = make(40.0);
  std::set<std::string> hashes;
  for (const auto& [name, workers, schedule] : {std::tuple{"serial", 1, amr::Schedule::kLevel},
                                                {"threads", 3, amr::Schedule::kDataflow},
                                                {"threads", 2, amr::Schedule::kLevel},
                                                {"openmp", 2, amr::Schedule::kLevel}}) {
    const auto backend = amr::make_backend(name, workers);
    amr::SimulationOptions mesh = options(64, 32, 2);
    mesh.schedule = schedule;
    amr::Simulation run(problem, *solver, *backend, mesh);
    run.advance(6);
    EXPECT_GT(run.hierarchy().level(1).size(), 0U);
    hashes.insert(amr::state_hash(run.hierarchy()));
  }
  EXPECT_EQ(hashes.size(), 1U);
}

/// The last point of a row where u is above 1/2, after the front has moved from 0.3 to 0.6.
int front_after(double mu_dt, double courant) {
  constexpr int kPoints = 80;
  const int steps = static_cast<int>(std::lround(0.3 * kPoints / courant));
  Reacting problem;
  problem.front = true;
  problem.mu = mu_dt * steps / problem.end_time();
  const auto solver = make(problem.mu);
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(problem, *solver, *backend, options(kPoints, steps));
  run.advance(steps);
  int last = -1;
  const amr::Level& level = run.hierarchy().level(0);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const amr::PatchId& id = level.patch(slot).id();
    for (int i = 0; id.j == 0 && i < amr::kPatchSize; ++i) {
      if (level.patch(slot).now()(i, 0) > 0.5) last = std::max(last, id.i * amr::kPatchSize + i);
    }
  }
  return last;
}

TEST(LeVequeAndYee, GivenAFrontThenItMovesWithTheWindUnlessTheSourceIsStiff) {
  constexpr int kStart = 23;
  constexpr int kEnd = 47;
  for (const double mu_dt : {0.015, 0.15}) {
    EXPECT_NEAR(front_after(mu_dt, 0.75), kEnd, 1) << mu_dt;
    EXPECT_NEAR(front_after(mu_dt, 0.25), kEnd, 1) << mu_dt;
  }
  // Where a step's reaction completes what interpolation smears, the front moves by whole cells.
  EXPECT_EQ(front_after(15.0, 0.75), kStart + 32) << "a cell a step";
  EXPECT_EQ(front_after(15.0, 0.25), kStart) << "it stands still";
}

}  // namespace
}  // namespace kumiko::solvers
