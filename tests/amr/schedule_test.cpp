// Contract: the state after n base steps is the same, bit for bit, whatever the backend, the order
// of the steps, the number of workers and the number of base steps that are taken at a time; a run
// that cannot go on ends with the same error; and the books say who did what.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/placement.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::run_options;
using test::Way;
using test::zalesak;

/// A disk in a flow that turns round, in time too: every patch is prepared anew in every step.
class SwingingDisk final : public Case {
 public:
  Boundaries boundaries() const override {
    return {BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0};
  }
  double end_time() const override { return 1.0; }
  void initial(Points points, int, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double dx = points.x[at] - 0.5;
      const double dy = points.y[at] - 0.9;
      values[at] = dx * dx + dy * dy < 0.01 ? 1.0 : 0.0;
    }
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    const double swing = 1.0 - 2.0 * time;
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = swing * (0.3 + points.y[at] * (1.0 - points.y[at]));
      velocity.y[at] = swing * (0.4 - points.x[at] * (1.0 - points.x[at]));
    }
  }
};

std::vector<Way> ways() {
  std::vector<Way> all = {{"serial", 1, Schedule::kLevel},  {"pthread", 2, Schedule::kLevel},
                          {"pthread", 5, Schedule::kLevel}, {"threads", 1, Schedule::kLevel},
                          {"threads", 3, Schedule::kLevel}, {"threads", 16, Schedule::kLevel}};
  for (int workers = 1; workers <= 16; ++workers) {
    // A sanitizer makes each run ten times as long; what it looks for it finds with some of them.
    if (test::kSanitized && workers != 1 && workers != 2 && workers != 5 && workers != 16) {
      continue;
    }
    all.push_back({"threads", workers, Schedule::kDataflow});
  }
  return all;
}

class EveryWay : public ::testing::TestWithParam<Way> {
 protected:
  /// How often a run's base steps are taken, each time with a regrid.
  static constexpr int kTimes = test::kSanitized ? 1 : 3;

  /// The hash of the state after `steps` base steps, taken `piece` at a time.
  static std::string run(const Case& problem, SimulationOptions options, const Way& way, int steps,
                         int piece) {
    const auto solver = cubic_solver();
    const auto backend = make_backend(way.backend, way.workers);
    options.schedule = way.schedule;
    Simulation simulation(problem, *solver, *backend, options);
    for (int step = 0; step < steps; step += piece) simulation.advance(piece);
    return state_hash(simulation.hierarchy());
  }
  static std::string reference(const Case& problem, const SimulationOptions& options, int steps) {
    return run(problem, options, {"serial", 1, Schedule::kLevel}, steps, 1);
  }
};

TEST_P(EveryWay, GivenZalesakOnThreeLevelsThenTheStateIsTheSame) {
  const auto problem = zalesak();
  const SimulationOptions options = run_options(64, 3, 640);
  constexpr int kSteps = 12 * kTimes;
  EXPECT_EQ(run(*problem, options, GetParam(), kSteps, 12), reference(*problem, options, kSteps));
}

TEST_P(EveryWay, GivenLinearInterpolationInTimeOnFourLevelsThenTheStateIsTheSame) {
  const auto problem = zalesak();
  SimulationOptions options = run_options(48, 4, 480);
  options.time_interpolation = TimeInterpolation::kLinear;
  options.refinement.interval = 3;
  EXPECT_EQ(run(*problem, options, GetParam(), 12, 6), reference(*problem, options, 12));
}

/// More workers share the cache of the test: their blocks are the usual ones.
class FewWorkers : public EveryWay {};
INSTANTIATE_TEST_SUITE_P(With, FewWorkers,
                         ::testing::Values(Way{"threads", 1, Schedule::kDataflow},
                                           Way{"threads", 2, Schedule::kDataflow},
                                           Way{"threads", 3, Schedule::kDataflow}));

TEST_P(FewWorkers, GivenALevelThatNoCacheHoldsThenTheStateIsTheSame) {
  const auto problem = zalesak();
  SimulationOptions options = run_options(512, 2, 2048);
  options.time_interpolation = TimeInterpolation::kLinear;  // for pieces of every kind
  options.refinement.interval = 12;
  const std::string expected = reference(*problem, options, 24);
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  const Simulation start(*problem, *solver, *backend, options);
  const Hierarchy& hierarchy = start.hierarchy();
  for (int level = 0; level < 2; ++level) {
    const std::span<const PatchId> ids = hierarchy.mesh().ids(level);
    const std::size_t bytes = ids.size() * hierarchy.shape().total_values() * sizeof(double);
    options.cache = bytes / 16 * 15;
    std::set<int> rows;
    for (const PatchId& id : ids) rows.insert(id.j);
    ASSERT_TRUE(blocks_in_time(ids.size(), rows.size(), bytes, options.cache, GetParam().workers));
    EXPECT_EQ(run(*problem, options, GetParam(), 24, 12), expected) << "level " << level;
  }
}

TEST_P(EveryWay, GivenAnUnsteadyPeriodicFlowThenTheStateIsTheSame) {
  const SwingingDisk problem;
  SimulationOptions options = run_options(32, 3, 64);
  options.refinement.interval = 5;
  constexpr int kSteps = 7 * kTimes;
  EXPECT_EQ(run(problem, options, GetParam(), kSteps, 7), reference(problem, options, kSteps));
}

TEST_P(EveryWay, GivenNoSubcyclingThenTheStateIsTheSame) {
  const SwingingDisk problem;
  SimulationOptions options = run_options(32, 3, 256);
  options.subcycling = false;
  options.refinement.interval = 5;
  constexpr int kSteps = 7 * kTimes;
  EXPECT_EQ(run(problem, options, GetParam(), kSteps, 7), reference(problem, options, kSteps));
}

/// What an unsteady flow says that grows too fast for the ghosts, at a step that no set-up sees.
std::string error_of(const Case& problem, const SimulationOptions& options, const Way& way) {
  const auto solver = cubic_solver();
  const auto backend = make_backend(way.backend, way.workers);
  SimulationOptions own = options;
  own.schedule = way.schedule;
  Simulation simulation(problem, *solver, *backend, own);
  try {
    simulation.advance(options.steps);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

/// Grows with time, most at one point.
class Accelerating final : public Case {
 public:
  explicit Accelerating(double power) : power_(power) {}
  Boundaries boundaries() const override {
    return {BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0};
  }
  double end_time() const override { return 1.0; }
  void initial(Points points, int, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = points.x[at] > 0.3 && points.x[at] < 0.6 ? 1.0 : 0.0;
    }
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double x = points.x[at] - 0.6;
      const double y = points.y[at] - 0.3;
      velocity.x[at] = std::pow(8.0 * time, power_) / (1.0 + 20.0 * (x * x + y * y));
      velocity.y[at] = 0.1;
    }
  }

 private:
  double power_;
};

TEST_P(EveryWay, GivenAFlowThatOutrunsTheGhostsThenTheErrorIsTheSame) {
  const Accelerating problem(3.0);
  const SimulationOptions options = run_options(64, 3, 128);
  const std::string expected = error_of(problem, options, {"serial", 1, Schedule::kLevel});
  EXPECT_NE(expected.find("CFL number"), std::string::npos) << expected;
  EXPECT_EQ(error_of(problem, options, GetParam()), expected);
}

TEST_P(EveryWay, GivenAVelocityThatStopsBeingANumberThenTheErrorIsTheSame) {
  // The square root's argument falls below zero at the far corner first.
  class Broken final : public Case {
   public:
    double end_time() const override { return 1.0; }
    void initial(Points points, int, std::span<double> values) const override {
      for (std::size_t at = 0; at < points.size(); ++at)
        values[at] = points.x[at] > 0.5 ? 1.0 : 0.0;
    }
    void velocity(Points points, double time, Vectors velocity) const override {
      for (std::size_t at = 0; at < points.size(); ++at) {
        velocity.x[at] = std::sqrt(0.3 - time * (points.x[at] + points.y[at]));
        velocity.y[at] = 0.0;
      }
    }
  };
  const Broken problem;
  const SimulationOptions options = run_options(64, 2, 128);
  const std::string expected = error_of(problem, options, {"serial", 1, Schedule::kLevel});
  EXPECT_NE(expected.find("not a finite number"), std::string::npos) << expected;
  EXPECT_EQ(error_of(problem, options, GetParam()), expected);
}

TEST_P(EveryWay, GivenARunThenTheBooksAddUp) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend(GetParam().backend, GetParam().workers);
  SimulationOptions options = run_options(64, 3, 640);
  options.schedule = GetParam().schedule;
  Simulation simulation(*problem, *solver, *backend, options);
  const auto begin = std::chrono::steady_clock::now();
  simulation.advance(10);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const WorkCounters& counters = simulation.counters();
  ASSERT_EQ(simulation.recent_steps().size(), 10u);
  WorkerLoad total;
  std::uint64_t sum_of_largest = 0;
  for (const BaseStepLoad& step : simulation.recent_steps()) {
    std::uint64_t largest = 0;
    ASSERT_EQ(step.workers.size(), static_cast<std::size_t>(GetParam().workers));
    for (const WorkerLoad& load : step.workers) {
      total += load;
      largest = std::max(largest, load.updates);
    }
    sum_of_largest += largest;
  }
  EXPECT_EQ(simulation.recent_steps().back().step, 9);
  EXPECT_EQ(total.updates, counters.updates());
  EXPECT_EQ(sum_of_largest, counters.sum_of_largest);
  EXPECT_GT(total.busy_s, 0.0);
  EXPECT_GT(total.wait_s, 0.0);
  EXPECT_LE(total.busy_s + total.wait_s, 1.1 * GetParam().workers * wall.count());
  WorkerLoad by_worker;
  for (const WorkerLoad& load : counters.workers) by_worker += load;
  EXPECT_EQ(by_worker.updates, counters.updates());
  for (std::size_t at = 1; at < counters.longest_waits.size(); ++at) {
    EXPECT_GE(counters.longest_waits[at - 1].seconds, counters.longest_waits[at].seconds);
  }
  const bool level = GetParam().schedule == Schedule::kLevel;
  for (const PatchWait& wait : counters.longest_waits) {
    EXPECT_EQ(wait.cause == WaitCause::kLevel, level);
    EXPECT_LT(wait.step, 10);
    EXPECT_GT(wait.seconds, 0.0);
    EXPECT_LE(wait.seconds, 1.1 * wall.count());
    EXPECT_GE(simulation.hierarchy().level(wait.awaited.level).size(), 1u);
  }
  EXPECT_EQ(counters.longest_waits.empty(), level && GetParam().workers == 1);
}

INSTANTIATE_TEST_SUITE_P(With, EveryWay, ::testing::ValuesIn(ways()),
                         ::testing::PrintToStringParamName());

TEST(Schedule, GivenABackendWithoutThreadsWhenDataflowIsAskedForThenTheErrorNamesTheRemedy) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  SimulationOptions options = run_options(64, 2, 640);
  options.schedule = Schedule::kDataflow;
  for (const char* name : {"serial", "pthread", "openmp"}) {
    const auto backend = make_backend(name, 1);
    try {
      Simulation simulation(*problem, *solver, *backend, options);
      FAIL() << name;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("`schedule` is dataflow; "), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace kumiko::amr
