// Contract: an automatic interval is buffer / (C × steps in a base step), rounded down, on the
// level where that is least, and nothing that was tagged leaves the refined places before the next
// regrid.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::FunctionCase;
using test::scripted_options;
using test::ScriptedCase;

constexpr int kIntervalSteps = ScriptedCase::kSteps;

/// 64 × 64 points and 64 steps over a time of 1: the CFL number is the larger of |vx| and |vy|.
ScriptedCase everywhere(double vx, double vy) {
  ScriptedCase problem;
  problem.vx = [vx](double, double) { return vx; };
  problem.vy = [vy](double, double) { return vy; };
  problem.indicator = [](int, int, double, double) { return 1.0; };
  return problem;
}

/// Base steps from the first regrid to the second.
int first_interval(const Case& problem, int levels, int buffer, bool subcycling = true) {
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = scripted_options(levels);
  options.refinement.interval = 0;
  options.refinement.buffer = buffer;
  options.subcycling = subcycling;
  const Simulation run(problem, *solver, *backend, options);
  return run.next_regrid();
}

TEST(RegridInterval, GivenAUniformFlowThenItIsTheClosedForm) {
  EXPECT_EQ(first_interval(everywhere(0.19, 0.0), 2, 2), 10);  // 2 / 0.19
  EXPECT_EQ(first_interval(everywhere(0.0, -0.19), 3, 2), 5);  // 2 / (0.19 × 2)
  EXPECT_EQ(first_interval(everywhere(0.1, 0.19), 3, 5), 13);  // 5 / (0.19 × 2)
  EXPECT_EQ(first_interval(everywhere(-0.9, 0.1), 4, 2), 1);   // 2 / (0.9 × 4) is below 1
  EXPECT_EQ(first_interval(everywhere(0.9, 0.9), 3, 0), 1);
  EXPECT_EQ(first_interval(everywhere(0.0, 0.0), 3, 2), 64) << "at rest";
}

TEST(RegridInterval, GivenNoSubcyclingThenALevelsCflNumberIsOfTheWholeBaseStep) {
  EXPECT_EQ(first_interval(everywhere(0.0, -0.19), 3, 2, false), 5);  // 2 / 0.38
}

TEST(RegridInterval, GivenALevelWithoutPatchesThenItsStepsDoNotCount) {
  ScriptedCase problem = everywhere(0.19, 0.0);
  problem.indicator = [](int, int, double, double) { return 0.0; };
  EXPECT_EQ(first_interval(problem, 4, 2), 10);
}

TEST(RegridInterval, GivenOneLevelThenThereIsNoRegrid) {
  EXPECT_EQ(first_interval(everywhere(0.19, 0.0), 1, 2), 0);
}

TEST(RegridInterval, GivenAFixedIntervalThenRegridsAreAtItsMultiples) {
  const ScriptedCase problem = everywhere(0.19, 0.0);
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = scripted_options(2);
  options.refinement.interval = 6;
  Simulation run(problem, *solver, *backend, options);
  EXPECT_EQ(run.next_regrid(), 6);
  run.advance(6);
  EXPECT_EQ(run.next_regrid(), 6);
  run.advance(7);
  EXPECT_EQ(run.next_regrid(), 18);
}

TEST(RegridInterval, GivenAFlowThatSpeedsUpThenTheIntervalFollowsForAnyBackend) {
  struct Faster : ScriptedCase {
    void velocity(Points points, double time, Vectors velocity) const override {
      for (std::size_t at = 0; at < points.size(); ++at) {
        velocity.x[at] = time < 0.2 ? 0.19 : 0.45;
        velocity.y[at] = 0.0;
      }
    }
  };
  Faster problem;
  problem.steady = false;
  problem.indicator = [](int, int, double, double) { return 1.0; };
  const auto solver = cubic_solver();
  for (const auto& [name, workers] : {std::pair{"serial", 1}, std::pair{"threads", 3}}) {
    const auto backend = make_backend(name, workers);
    SimulationOptions options = scripted_options(2);
    options.refinement.interval = 0;
    Simulation run(problem, *solver, *backend, options);
    EXPECT_EQ(run.next_regrid(), 10);
    run.advance(11);
    EXPECT_EQ(run.next_regrid(), 20) << "t was below 0.2 then";
    run.advance(10);
    EXPECT_EQ(run.next_regrid(), 24) << "2 / 0.45 from 20 on";
  }
}

/// Refines what lies within a radius of a point that the flow carries along.
struct CarriedCase : ScriptedCase {
  static constexpr double kSpeedX = 0.37;
  static constexpr double kSpeedY = -0.23;
  /// How far a particle of speed 1 has come.
  std::function<double(double time)> way = [](double time) { return time; };
  double radius(int level) const { return level == 0 ? 0.12 : 0.06; }
  bool within(int level, double x, double y, double time) const {
    const double far = way(time);
    return std::hypot(x - (0.3 + kSpeedX * far), y - (0.6 + kSpeedY * far)) < radius(level);
  }

  CarriedCase() {
    vx = [](double, double) { return kSpeedX; };
    vy = [](double, double) { return kSpeedY; };
    indicator = [this](int level, int step, double x, double y) {
      return within(level, x, y, static_cast<double>(step) / kIntervalSteps) ? 1.0 : 0.0;
    };
  }
};

/// Points of levels 0 and 1 within the radius that have no child.
int uncovered(const CarriedCase& problem, const Hierarchy& mesh, double time) {
  int points = 0;
  for (int index = 0; index < 2; ++index) {
    const double h = mesh.geometry().spacing(index);
    for (int j = 0; j < mesh.geometry().points_y(index); ++j) {
      for (int i = 0; i < mesh.geometry().points_x(index); ++i) {
        const PatchId child{index + 1, i / kQuadrantSize, j / kQuadrantSize};
        if (problem.within(index, i * h, j * h, time) && mesh.mesh().find(child) < 0) {
          ++points;
        }
      }
    }
  }
  return points;
}

TEST(RegridInterval, GivenAFeatureThatTheFlowCarriesThenItStaysOnRefinedPlacesAtEveryStep) {
  const CarriedCase problem;
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = scripted_options(3);
  int uncovered_with_four_times_the_interval = 0;
  for (const int interval : {0, 8}) {
    options.refinement.interval = interval;
    Simulation run(problem, *solver, *backend, options);
    if (interval == 0) {
      ASSERT_EQ(run.next_regrid(), 2) << "2 / (0.37 × 2)";
    }
    for (int step = 1; step < kIntervalSteps; ++step) {
      run.advance(1);
      const int points = uncovered(problem, run.hierarchy(), run.time());
      if (interval == 0) {
        ASSERT_EQ(points, 0) << "step " << step;
      } else {
        uncovered_with_four_times_the_interval += points;
      }
    }
  }
  EXPECT_GT(uncovered_with_four_times_the_interval, 0) << "the test can fail";
}

/// The same in a flow whose speed changes.
struct UnsteadyCarriedCase final : CarriedCase {
  std::function<double(double time)> speed;

  UnsteadyCarriedCase(std::function<double(double)> its_speed,
                      std::function<double(double)> its_way)
      : speed(std::move(its_speed)) {
    way = std::move(its_way);
    steady = false;
  }
  void velocity(Points, double time, Vectors velocity) const override {
    std::ranges::fill(velocity.x, kSpeedX * speed(time));
    std::ranges::fill(velocity.y, kSpeedY * speed(time));
  }
};

TEST(RegridInterval, GivenAFlowThatRisesFromRestThenWhatIsTravelledBringsTheRegridForward) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const UnsteadyCarriedCase rising([](double t) { return std::sin(kTurn * t); },
                                   [](double t) { return (1.0 - std::cos(kTurn * t)) / kTurn; });
  const UnsteadyCarriedCase jumping([](double t) { return t < 0.4 ? 0.0 : 1.0; },
                                    [](double t) { return std::max(0.0, t - 0.4); });
  for (const UnsteadyCarriedCase* const problem : {&rising, &jumping}) {
    const auto solver = cubic_solver();
    const auto backend = make_backend("serial", 1);
    SimulationOptions options = scripted_options(3);
    options.refinement.interval = 0;
    Simulation run(*problem, *solver, *backend, options);
    EXPECT_EQ(run.next_regrid(), 64) << "at rest";
    int regrids_at_rest = 0;
    for (int step = 1; step < kIntervalSteps; ++step) {
      run.advance(1);
      ASSERT_EQ(uncovered(*problem, run.hierarchy(), run.time()), 0) << "step " << step;
      if (problem == &jumping && run.time() < 0.4) {
        regrids_at_rest = static_cast<int>(run.counters().regrids);
      }
    }
    EXPECT_EQ(regrids_at_rest, 0);
    EXPECT_GT(run.counters().regrids, 8U);
  }
}

/// The hash of the final state of a run that is saved and continued at each of some base steps.
std::string hash_with_restarts_at(const Case& problem, std::vector<int> steps) {
  const auto solver = cubic_solver();
  const auto backend = make_backend("threads", 2);
  SimulationOptions options = scripted_options(3);
  options.refinement.interval = 0;
  std::optional<SavedRun> saved;
  steps.push_back(kIntervalSteps);
  for (const int until : steps) {
    std::unique_ptr<Simulation> run =
        saved ? std::make_unique<Simulation>(problem, *solver, *backend, options, *saved)
              : std::make_unique<Simulation>(problem, *solver, *backend, options);
    run->advance(until - run->step());
    if (until == kIntervalSteps) return state_hash(run->hierarchy());
    saved = run->save();
  }
  return {};
}

TEST(RegridInterval, GivenRestartsBetweenLooksThenTheBitsAreThoseOfOneRun) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  UnsteadyCarriedCase problem([](double t) { return std::sin(kTurn * t); },
                              [](double t) { return (1.0 - std::cos(kTurn * t)) / kTurn; });
  problem.u = [](double x, double y) { return std::sin(kTurn * x) * std::cos(kTurn * y); };
  EXPECT_EQ(hash_with_restarts_at(problem, {3, 8, 13, 21, 30, 47}),
            hash_with_restarts_at(problem, {}));
}

}  // namespace
}  // namespace kumiko::amr
