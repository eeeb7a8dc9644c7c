// Contract: unusual meshes run like all others: levels that empty and come back, a single patch,
// fewer patches than workers, eight levels; and a run that may not grow says so.
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/memory_limit.hpp>
#include <kumiko/plugin/registry.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::FunctionCase;
using test::run_options;
using test::scripted_options;
using test::ScriptedCase;
using test::Way;

std::vector<Way> every_way(int workers) {
  std::vector<Way> ways = {{"serial", 1, Schedule::kLevel},
                           {"threads", workers, Schedule::kDataflow},
                           {"threads", workers, Schedule::kLevel},
                           {"pthread", workers, Schedule::kLevel}};
  if (test::kOpenMpIsTestable) ways.push_back({"openmp", workers, Schedule::kLevel});
  return ways;
}

double wave(double x, double y) { return std::sin(6.0 * x) + std::cos(4.0 * y) * x; }

TEST(Robustness, GivenLevelsThatEmptyAndComeBackThenEveryBackendStepsThroughAlike) {
  ScriptedCase problem;
  problem.u = wave;
  problem.vx = [](double, double y) { return 0.3 + 0.2 * y; };
  problem.vy = [](double x, double) { return 0.4 * x - 0.3; };
  // Refined at the regrids at 0 and 4, not at 8 and 12, again from 16 on.
  problem.indicator = [](int, int step, double x, double y) {
    const bool refined = step < 8 || step >= 16;
    return refined && std::hypot(x - 0.5, y - 0.5) < 0.15 ? 1.0 : 0.0;
  };
  const auto solver = cubic_solver();
  std::vector<std::string> hashes;
  for (const Way& way : every_way(3)) {
    const auto backend = make_backend(way.backend, way.workers);
    SimulationOptions options = scripted_options(3);
    options.schedule = way.schedule;
    Simulation run(problem, *solver, *backend, options);
    EXPECT_EQ(run.hierarchy().used_levels(), 3);
    run.advance(9);
    EXPECT_EQ(run.hierarchy().used_levels(), 1);
    run.advance(8);
    EXPECT_EQ(run.hierarchy().used_levels(), 3);
    EXPECT_TRUE(field_figures(run.hierarchy(), *backend).finite);
    hashes.push_back(state_hash(run.hierarchy()));
    EXPECT_EQ(hashes.back(), hashes.front()) << way.backend;
  }
}

TEST(Robustness, GivenOnePatchInAllThenItIsItsOwnNeighbourAndManyWorkersDoNoHarm) {
  for (const bool periodic : {true, false}) {
    FunctionCase problem;
    problem.u = wave;
    problem.vx = [](double, double) { return 0.7; };
    problem.vy = [](double, double) { return -0.4; };
    if (!periodic) problem.sides = {};
    const auto solver = cubic_solver();
    std::vector<std::string> hashes;
    for (const Way& way : every_way(8)) {
      const auto backend = make_backend(way.backend, way.workers);
      SimulationOptions options = run_options(16, 1, 32);
      options.schedule = way.schedule;
      Simulation run(problem, *solver, *backend, options);
      ASSERT_EQ(run.hierarchy().level(0).size(), 1U);
      run.advance(32);
      hashes.push_back(state_hash(run.hierarchy()));
      EXPECT_EQ(hashes.back(), hashes.front()) << way.backend;
    }
  }
}

TEST(Robustness, GivenOneBasePatchWhenRefinedThenFewerPatchesThanWorkersRunOnThreeLevels) {
  ScriptedCase problem;
  problem.u = wave;
  problem.vx = [](double, double) { return 0.7; };
  problem.vy = [](double, double) { return -0.4; };
  problem.indicator = [](int level, int, double x, double y) {
    return level == 0 || (x < 0.5 && y < 0.5) ? 1.0 : 0.0;
  };
  const auto solver = cubic_solver();
  std::vector<std::string> hashes;
  for (const Way& way : every_way(16)) {
    const auto backend = make_backend(way.backend, way.workers);
    SimulationOptions options = scripted_options(3);
    options.points_x = options.points_y = 16;
    options.refinement.buffer = 0;
    options.schedule = way.schedule;
    Simulation run(problem, *solver, *backend, options);
    ASSERT_EQ(run.hierarchy().level(1).size(), 4U);
    ASSERT_EQ(run.hierarchy().level(2).size(), 4U);
    run.advance(8);
    hashes.push_back(state_hash(run.hierarchy()));
    EXPECT_EQ(hashes.back(), hashes.front()) << way.backend;
  }
}

TEST(Robustness, GivenEightLevelsThenTheMeshNestsAtEachRegridAndTheFrontMovesWithTheFlow) {
  // Eight points of level 6 in a base step.
  constexpr int kSteps = 64;
  constexpr double kSpeed = 0.25;
  FunctionCase problem;
  // A front so sharp that only the finest level, 4096 points, has it on ten of them.
  problem.u = [](double x, double y) {
    return 0.5 * (1.0 - std::tanh((std::hypot(x - 0.5, y - 0.5) - 0.05) * 800.0));
  };
  problem.vx = [](double, double) { return kSpeed; };
  const auto solver = cubic_solver();
  const auto backend = make_backend("threads", 2);
  SimulationOptions options = run_options(32, 8, kSteps);
  options.refinement.interval = 1;
  // What nesting asks for: a patch is as wide as eight points of the level below.
  options.refinement.buffer = 8;
  Simulation run(problem, *solver, *backend, options);
  for (int step = 0; step < 2; ++step) {
    EXPECT_TRUE(run.hierarchy().mesh().unnested().empty());
    EXPECT_EQ(run.hierarchy().used_levels(), 8);
    run.advance(1);
  }
  const Geometry& geometry = run.hierarchy().geometry();
  const Level& finest = run.hierarchy().level(7);
  EXPECT_LT(finest.size(), 1000U) << "of 65536";
  const double shift = kSpeed * run.time();
  double largest = 0.0;
  for (std::size_t slot = 0; slot < finest.size(); ++slot) {
    const Patch& patch = finest.patch(slot);
    for (int at = 0; at < kPatchPoints; ++at) {
      const int i = at % kPatchSize;
      const int j = at / kPatchSize;
      const double x = geometry.coordinate(7, patch.id().i * kPatchSize + i);
      const double y = geometry.coordinate(7, patch.id().j * kPatchSize + j);
      largest = std::max(largest, std::abs(patch.now()(i, j) - problem.u(x - shift, y)));
    }
  }
  EXPECT_LT(largest, 0.01);
  const FieldFigures figures = field_figures(run.hierarchy(), *backend);
  EXPECT_LT(figures.maximum, 1.01);
  EXPECT_GT(figures.minimum, -0.01);
}

/// Refined within a disk that grows with the base step.
ScriptedCase growing() {
  ScriptedCase problem;
  problem.u = wave;
  problem.indicator = [](int, int step, double x, double y) {
    return std::hypot(x - 0.5, y - 0.5) < 0.1 + 0.02 * step ? 1.0 : 0.0;
  };
  return problem;
}

/// How a run of some base steps fails; empty if it does not.
std::string failure_of(const Case& problem, const Solver& solver, SimulationOptions options) {
  const auto backend = make_backend("serial", 1);
  options.schedule = Schedule::kLevel;
  try {
    Simulation(problem, solver, *backend, options).advance(8);
  } catch (const BrokenValueError& error) {
    return error.what();
  }
  return "";
}

TEST(Robustness, GivenAVelocityThatIsNoNumberInPlacesThenEverySolversRunBlamesTheCase) {
  // A particle from there comes from nowhere, where the velocity is a number again.
  FunctionCase problem;
  problem.u = wave;
  problem.vx = [](double x, double) { return x > 0.5 ? std::nan("") : 1.0; };
  const SimulationOptions options = run_options(64, 1, 640);
  int solvers = 0;
  for (const auto& factory : plugin::shipped().solvers()) {
    const auto solver = factory.make(defaults(factory.parameters));
    // These carry a field by another velocity than the case's.
    if (solver->traits().nonlinear) continue;
    ++solvers;
    const std::string error = failure_of(problem, *solver, options);
    EXPECT_TRUE(error.starts_with("the case gives level 0 patch (") &&
                error.find("a velocity that is not a finite number at t = 0;") != std::string::npos)
        << factory.name << ": " << error;
  }
  EXPECT_GE(solvers, 6);
}

TEST(Robustness, GivenABoundaryValueThatIsNoNumberThenTheRunBlamesTheCase) {
  FunctionCase problem;
  problem.u = wave;
  problem.vx = [](double, double) { return 1.0; };
  problem.sides = {BoundaryKind::kPrescribed, BoundaryKind::kPeriodic, 0.0};
  problem.beyond = [](Side side, double, double y, int, double time) {
    return side == Side::kLeft && y > 0.4 && time > 0.003 ? std::nan("") : 1.0;
  };
  for (const char* name : {"semi_lagrangian_cubic", "finite_volume_upwind3"}) {
    const auto solver = plugin::find_solver(name)->make({});
    const std::string error = failure_of(problem, *solver, run_options(64, 1, 640));
    EXPECT_NE(error.find("the case's boundary value of component 0 next to level 0 patch (0, "),
              std::string::npos)
        << name << ": " << error;
  }
}

TEST(MemoryLimit, GivenLessThanARegridNeedsThenItEndsTheRunAndNamesLevelPatchesAndBytes) {
  const ScriptedCase problem = growing();
  const auto solver = cubic_solver();
  const auto backend = make_backend("threads", 2);
  SimulationOptions options = scripted_options(3);
  std::size_t needed = 0;
  {
    Simulation run(problem, *solver, *backend, options);
    run.advance(13);
    needed = run.hierarchy().memory_use().patch_bytes;
  }
  options.refinement.memory_limit = needed;
  {
    Simulation run(problem, *solver, *backend, options);
    EXPECT_NO_THROW(run.advance(13)) << "exactly what is needed";
  }
  options.refinement.memory_limit = needed - 1;
  Simulation run(problem, *solver, *backend, options);
  run.advance(12);
  std::vector<std::size_t> before;
  for (int level = 0; level < 3; ++level) before.push_back(run.hierarchy().level(level).size());
  std::size_t named = 0;
  try {
    run.advance(1);
    FAIL();
  } catch (const MemoryLimitError& error) {
    named = static_cast<std::size_t>(error.level);
    ASSERT_TRUE(named == 1 || named == 2);
    EXPECT_GT(error.patches, before[named]);
    EXPECT_EQ(error.bytes, needed);
    const std::string message = error.what();
    EXPECT_EQ(message.find("level " + std::to_string(named) + " asks"), 0U) << message;
    EXPECT_NE(message.find(std::to_string(error.patches) + " patches"), std::string::npos);
    EXPECT_NE(message.find(std::to_string(needed)), std::string::npos) << message;
    EXPECT_NE(message.find("`memory_limit` is "), std::string::npos) << message;
  }
  for (std::size_t level = named; level < 3; ++level) {
    EXPECT_EQ(run.hierarchy().level(static_cast<int>(level)).size(), before[level]) << "unchanged";
  }
  EXPECT_LE(run.hierarchy().memory_use().patch_bytes, needed - 1);
  EXPECT_TRUE(run.hierarchy().mesh().unnested().empty());
  EXPECT_TRUE(field_figures(run.hierarchy(), *backend).finite);
}

TEST(MemoryLimit, GivenNoneAndABaseGridBeyondAnyMachineThenTheRequestIsRefused) {
  EXPECT_THROW(check_base_memory({1, 2, 0, false}, std::size_t{1} << 40U, 0),  // 10 PB
               std::invalid_argument);
}

TEST(MemoryLimit, GivenLessThanTheBaseGridNeedsThenTheRequestIsRefused) {
  const ScriptedCase problem = growing();
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = scripted_options(1);
  options.refinement.memory_limit = 1;
  EXPECT_THROW(Simulation(problem, *solver, *backend, options), std::invalid_argument);
  options.refinement.memory_limit = Simulation(problem, *solver, *backend, scripted_options(1))
                                        .hierarchy()
                                        .memory_use()
                                        .patch_bytes;
  EXPECT_NO_THROW(Simulation(problem, *solver, *backend, options));
}

}  // namespace
}  // namespace kumiko::amr
