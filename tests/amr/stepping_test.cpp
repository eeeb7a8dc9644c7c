// Contract: a run is the scheme that docs/reference/numerics.md writes down, on any mesh; it keeps
// constants, treats x and y alike, nests after every regrid, and refuses steps that outrun the
// ghosts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"
#include "stepping/time_stepper.hpp"
#include "transfer/transfer.hpp"

namespace kumiko::amr {
namespace {

using test::block;
using test::cubic_solver;
using test::FunctionCase;
using test::run_options;
using test::zalesak;

/// The value at a base-grid node of a finished run.
double base_value(const Hierarchy& hierarchy, int i, int j) {
  const Level& base = hierarchy.level(0);
  const auto slot = hierarchy.mesh().find({0, i / kPatchSize, j / kPatchSize});
  return base.patch(static_cast<std::size_t>(slot)).now()(i % kPatchSize, j % kPatchSize);
}

/// Zalesak on n × n nodes by textbook Lagrange weights: no patches, no ghosts, no vectors.
std::vector<double> plain_zalesak(int n, int total_steps, int steps) {
  const double h = 1.0 / n;
  const double dt = 2.0 * std::numbers::pi / total_steps;
  std::vector<double> u(static_cast<std::size_t>(n * n));
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(j * n + i); };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const double x = i * h - 0.5;
      const double y = j * h - 0.75;
      const bool inside = x * x + y * y <= 0.0225 && !(std::abs(x) < 0.025 && j * h < 0.85);
      u[at(i, j)] = inside ? 1.0 : 0.0;
    }
  }
  const auto weight = [](int k, double f) {
    double product = 1.0;
    for (int m = -1; m <= 2; ++m) product *= m == k ? 1.0 : (f - m) / (k - m);
    return product;
  };
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next(u.size());
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const double x = i + (j * h - 0.5) * dt / h;
        const double y = j - (i * h - 0.5) * dt / h;
        const int i0 = static_cast<int>(std::floor(x));
        const int j0 = static_cast<int>(std::floor(y));
        double sum = 0.0;
        for (int q = -1; q <= 2; ++q) {
          for (int p = -1; p <= 2; ++p) {
            const bool inside = i0 + p >= 0 && j0 + q >= 0 && i0 + p < n && j0 + q < n;
            if (inside) sum += weight(p, x - i0) * weight(q, y - j0) * u[at(i0 + p, j0 + q)];
          }
        }
        next[at(i, j)] = sum;
      }
    }
    u.swap(next);
  }
  return u;
}

TEST(Stepping, GivenZalesakOnOneLevelThenItAgreesWithAPlainProgram) {
  constexpr int kPoints = 64;
  constexpr int kSteps = 640;
  constexpr int kTaken = 200;
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  Simulation run(*problem, *solver, *backend, run_options(kPoints, 1, kSteps));
  run.advance(kTaken);
  const std::vector<double> expected = plain_zalesak(kPoints, kSteps, kTaken);
  for (int j = 0; j < kPoints; ++j) {
    for (int i = 0; i < kPoints; ++i) {
      ASSERT_NEAR(base_value(run.hierarchy(), i, j),
                  expected[static_cast<std::size_t>(j * kPoints + i)], 1e-13)
          << "node (" << i << ", " << j << ")";
    }
  }
}

/// Prepares every patch of every level at t = 0.
void prepare_all(TimeStepper& stepper, const Hierarchy& hierarchy) {
  for (int level = 0; level < hierarchy.max_levels(); ++level) {
    std::vector<std::size_t> all(hierarchy.level(level).size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    stepper.prepare(level, all, 0.0, [](std::size_t) {});
  }
}

/// Calls visit(level, x, y, value) for every node of every level, covered ones included.
template <class Visit>
void for_each_node(const Hierarchy& hierarchy, Visit visit) {
  const Geometry& geometry = hierarchy.geometry();
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    const Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const Patch& patch = level.patch(slot);
      for (int j = 0; j < kPatchSize; ++j) {
        for (int i = 0; i < kPatchSize; ++i) {
          visit(index, geometry.coordinate(index, patch.id().i * kPatchSize + i),
                geometry.coordinate(index, patch.id().j * kPatchSize + j), patch.now()(i, j));
        }
      }
    }
  }
}

/// Base nodes half-way up the disk's edge must have children.
void expect_front_refined(const Hierarchy& hierarchy) {
  int front = 0;
  for_each_node(hierarchy, [&](int level, double x, double y, double value) {
    if (level != 0 || value < 0.3 || value > 0.7) return;
    ++front;
    const double points = hierarchy.geometry().points_x(1);
    const PatchId child{1, static_cast<int>(x * points) / kPatchSize,
                        static_cast<int>(y * points) / kPatchSize};
    ASSERT_GE(hierarchy.mesh().find(child), 0) << "(" << x << ", " << y << ")";
  });
  EXPECT_GT(front, 10);
  EXPECT_EQ(hierarchy.used_levels(), hierarchy.max_levels());
}

class EveryInterpolation : public ::testing::TestWithParam<TimeInterpolation> {};

TEST_P(EveryInterpolation, GivenAConstantPeriodicFieldOnThreeLevelsThenItDriftsAtMost2UlpAStep) {
  constexpr double kConstant = 0.7;
  constexpr int kSteps = 50;
  FunctionCase problem;
  problem.u = [](double, double) { return kConstant; };
  problem.vx = [](double, double y) { return 0.3 + 0.2 * std::sin(2.0 * std::numbers::pi * y); };
  problem.vy = [](double x, double) { return -0.4 * std::cos(2.0 * std::numbers::pi * x); };
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 3, 128);
  options.time_interpolation = GetParam();
  const PatchShape shape{1, 2, solver->coefficients()};
  const auto hierarchy = test::island(problem.boundaries(), shape);
  test::sample(*hierarchy, problem.u);
  const GhostExchange exchange(*hierarchy, problem, *solver, options.time_interpolation);
  TimeStepper stepper(*hierarchy, problem, *solver, *backend, exchange, options);
  prepare_all(stepper, *hierarchy);
  for (int step = 0; step < kSteps; ++step) stepper.advance(step, 1);
  const FieldFigures figures = field_figures(*hierarchy, *backend);
  const double ulp = std::nextafter(kConstant, 1.0) - kConstant;
  EXPECT_LE(figures.maximum - kConstant, 2 * kSteps * ulp);
  EXPECT_LE(kConstant - figures.minimum, 2 * kSteps * ulp);
}

/// Zalesak seen in a mirror along the diagonal, turning the other way.
class MirroredZalesak final : public Case {
 public:
  double end_time() const override { return original_->end_time(); }
  bool steady_velocity() const override { return true; }
  void initial(Points points, int component, std::span<double> values) const override {
    original_->initial({points.y, points.x}, component, values);
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    original_->velocity({points.y, points.x}, time, {velocity.y, velocity.x});
  }

 private:
  std::unique_ptr<Case> original_ = zalesak();
};

TEST_P(EveryInterpolation, GivenTheMirroredProblemThenTheAnswerIsMirrored) {
  const auto original = zalesak();
  const MirroredZalesak mirrored;
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 3, 640);
  options.time_interpolation = GetParam();
  Simulation one(*original, *solver, *backend, options);
  Simulation other(mirrored, *solver, *backend, options);
  one.advance(100);
  other.advance(100);
  for (int index = 0; index < 3; ++index) {
    const Level& level = one.hierarchy().level(index);
    const Level& mirror = other.hierarchy().level(index);
    ASSERT_EQ(level.size(), mirror.size());
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const PatchId id = level.patch(slot).id();
      const std::int32_t twin = other.hierarchy().mesh().find({index, id.j, id.i});
      ASSERT_GE(twin, 0) << to_string(id) << " has no mirror image";
      const auto difference =
          (level.patch(slot).now().interior() -
           mirror.patch(static_cast<std::size_t>(twin)).now().interior().transpose());
      ASSERT_LE(difference.abs().maxCoeff(), 1e-13) << to_string(id);
    }
  }
}

TEST(Stepping, GivenManyRegridsThenTheMeshNestsAfterEachAndFollowsTheDisk) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 4, 640);
  Simulation run(*problem, *solver, *backend, options);
  ASSERT_TRUE(run.hierarchy().mesh().unnested().empty());
  ASSERT_EQ(run.hierarchy().used_levels(), 4);
  for (int regrid = 1; regrid <= 10; ++regrid) {
    run.advance(options.refinement.interval);
    ASSERT_TRUE(run.hierarchy().mesh().unnested().empty());
    ASSERT_EQ(run.counters().regrids, static_cast<std::uint64_t>(regrid - 1));
    expect_front_refined(run.hierarchy());
  }
}

TEST_P(EveryInterpolation, GivenAUniformFlowOnThreeLevelsThenALowPolynomialMovesExactly) {
  // Cubic in space is exact for the characteristic ghosts, linear in time for the linear ones.
  const bool linear = GetParam() == TimeInterpolation::kLinear;
  const auto u = [linear](double x, double y) {
    return linear ? 2.0 * x - 3.0 * y + 1.0 : (x * x * x - x) * (1.0 - 2.0 * y * y);
  };
  constexpr int kSteps = 3;
  constexpr int kWholeRun = 100;
  FunctionCase problem;
  problem.sides = {};
  problem.vx = [](double, double) { return 0.9; };
  problem.vy = [](double, double) { return -0.7; };
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 3, kWholeRun);
  options.time_interpolation = GetParam();
  const auto hierarchy = test::island(problem.boundaries(), {1, 2, solver->coefficients()});
  test::sample(*hierarchy, u);
  const GhostExchange exchange(*hierarchy, problem, *solver, options.time_interpolation);
  TimeStepper stepper(*hierarchy, problem, *solver, *backend, exchange, options);
  prepare_all(stepper, *hierarchy);
  for (int step = 0; step < kSteps; ++step) stepper.advance(step, 1);
  // The boundary's influence has not come this far.
  constexpr double kAway = 0.2;
  const double t = 1.0 * kSteps / kWholeRun;
  for_each_node(*hierarchy, [&](int level, double x, double y, double value) {
    if (x < kAway || y < kAway || x > 1.0 - kAway || y > 1.0 - kAway) return;
    ASSERT_NEAR(value, u(x - 0.9 * t, y + 0.7 * t), 1e-13)
        << "level " << level << " (" << x << ", " << y << ")";
  });
}

INSTANTIATE_TEST_SUITE_P(Time, EveryInterpolation,
                         ::testing::Values(TimeInterpolation::kCharacteristic,
                                           TimeInterpolation::kLinear),
                         [](const auto& test) {
                           return test.param == TimeInterpolation::kLinear ? "Linear"
                                                                           : "Characteristic";
                         });

TEST(Stepping, GivenSubcyclingThenUpdatesAreCountedByLevelAndWorker) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  Simulation run(*problem, *solver, *backend, run_options(64, 3, 640));
  std::vector<std::uint64_t> expected;
  for (int level = 0; level < 3; ++level) {
    expected.push_back((run.hierarchy().level(level).size() << level) * kPatchPoints);
  }
  run.advance(1);
  EXPECT_EQ(run.counters().updates_per_level, expected);
  EXPECT_EQ(run.counters().workers[0].updates, run.counters().updates());
  EXPECT_EQ(run.counters().imbalance(), 1.0);
}

TEST(Stepping, GivenNoSubcyclingThenEveryLevelTakesTheBaseStep) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 3, 2560);
  options.subcycling = false;
  Simulation run(*problem, *solver, *backend, options);
  std::vector<std::uint64_t> expected;
  for (int level = 0; level < 3; ++level) {
    expected.push_back(run.hierarchy().level(level).size() * kPatchPoints);
  }
  run.advance(1);
  EXPECT_EQ(run.counters().updates_per_level, expected);
  // |v| is 0.35 where the disk is, and the finest spacing 1/256.
  options.steps = 300;
  EXPECT_THROW(Simulation(*problem, *solver, *backend, options), CflError);
}

TEST(Stepping, GivenNoSubcyclingThenNothingIsInterpolatedInTime) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("threads", 2);
  const auto hash = [&](TimeInterpolation interpolation) {
    SimulationOptions options = run_options(64, 3, 2560);
    options.subcycling = false;
    options.time_interpolation = interpolation;
    Simulation run(*problem, *solver, *backend, options);
    run.advance(50);
    return state_hash(run.hierarchy());
  };
  EXPECT_EQ(hash(TimeInterpolation::kCharacteristic), hash(TimeInterpolation::kLinear));
}

TEST_P(EveryInterpolation, GivenNoSubcyclingThenALowPolynomialMovesExactly) {
  const auto u = [](double x, double y) { return (x * x * x - x) * (1.0 - 2.0 * y * y); };
  constexpr int kSteps = 3;
  constexpr int kWholeRun = 400;
  FunctionCase problem;
  problem.sides = {};
  problem.u = u;
  problem.vx = [](double, double) { return 0.9; };
  problem.vy = [](double, double) { return -0.7; };
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 3, kWholeRun);
  options.time_interpolation = GetParam();
  options.subcycling = false;
  const auto hierarchy = test::island(problem.boundaries(), {1, 2, solver->coefficients()});
  test::sample(*hierarchy, u);
  const GhostExchange exchange(*hierarchy, problem, *solver, options.time_interpolation);
  TimeStepper stepper(*hierarchy, problem, *solver, *backend, exchange, options);
  prepare_all(stepper, *hierarchy);
  stepper.advance(0, kSteps);
  constexpr double kAway = 0.2;
  const double t = 1.0 * kSteps / kWholeRun;
  for_each_node(*hierarchy, [&](int level, double x, double y, double value) {
    if (x < kAway || y < kAway || x > 1.0 - kAway || y > 1.0 - kAway) return;
    ASSERT_NEAR(value, u(x - 0.9 * t, y + 0.7 * t), 1e-13)
        << "level " << level << " (" << x << ", " << y << ")";
  });
}

TEST(Stepping, GivenTooFewStepsThenTheErrorNamesThePatchAndTheFewestThatWouldDo) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  // |v| is 0.5 at the edge of the base grid: 2π / steps × 0.5 × 64 <= 1 from 202 steps on.
  std::int64_t enough = 0;
  try {
    Simulation run(*problem, *solver, *backend, run_options(64, 1, 100));
    FAIL();
  } catch (const CflError& error) {
    enough = error.smallest_steps();
    const std::string message = error.what();
    EXPECT_NE(message.find("level 0 patch ("), std::string::npos) << message;
    EXPECT_NE(message.find("`steps`"), std::string::npos) << message;
    EXPECT_NE(message.find("202"), std::string::npos) << message;
  }
  EXPECT_EQ(enough, 202);
  EXPECT_NO_THROW(Simulation(*problem, *solver, *backend, run_options(64, 1, 202)));
  EXPECT_THROW(Simulation(*problem, *solver, *backend, run_options(64, 1, 201)), CflError);
}

TEST(Stepping, GivenAnyFlowOrSchemeThenTheFewestStepsAreEnoughAndOneLessIsNot) {
  // The fastest flow is far from patch (0, 0), and the exact scheme is not linear in the step.
  FunctionCase jet;
  jet.vx = [](double x, double) { return x > 0.7 ? 1.0 : 0.25; };
  const auto rotation = zalesak();
  const auto first_order = cubic_solver();
  const auto exact = cubic_solver("exact");
  const auto backend = make_backend("serial", 1);
  const auto check = [&](const Case& problem, const Solver& solver, int n, int steps) {
    try {
      Simulation(problem, solver, *backend, run_options(n, 1, steps));
      FAIL() << steps << " steps are not refused";
    } catch (const CflError& error) {
      const int enough = static_cast<int>(error.smallest_steps());
      EXPECT_NO_THROW(Simulation(problem, solver, *backend, run_options(n, 1, enough)));
      EXPECT_THROW(Simulation(problem, solver, *backend, run_options(n, 1, enough - 1)), CflError);
    }
  };
  for (const int steps : {5, 10, 11, 20, 47}) check(jet, *first_order, 48, steps);
  check(*rotation, *exact, 64, 100);
}

/// Advances nothing; declares and answers what a test says.
struct AnsweringSolver : Solver {
  const SolverTraits& traits() const override { return declared; }
  std::size_t coefficients() const override { return count; }
  double prepare(const Case&, const PatchPoints&, double, double,
                 std::span<double>) const override {
    return cfl;
  }
  void advance(ConstPatchView, std::span<const double>, PatchView) const override {}

  SolverTraits declared;
  std::size_t count = 0;
  double cfl = 0.0;
};

TEST(Stepping, GivenACflNumberThatDoesNotFallWithTheStepThenTheSearchEndsAndBlamesTheSolver) {
  const FunctionCase problem;
  const auto backend = make_backend("serial", 1);
  AnsweringSolver solver;
  solver.declared.name = "stubborn";
  solver.cfl = 2.0;
  try {
    Simulation(problem, solver, *backend, run_options(64, 1, 100));
    FAIL();
  } catch (const DeclarationError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'stubborn'"), std::string::npos) << message;
    EXPECT_NE(message.find("CFL number 2 "), std::string::npos) << message;
    EXPECT_NE(message.find("prepare()"), std::string::npos) << message;
  }
}

TEST(Stepping, GivenAVelocityThatNoRunCouldFollowThenTheStepsThatItAsksForAreNamed) {
  FunctionCase problem;
  problem.vx = [](double, double) { return 1e15; };
  const auto backend = make_backend("serial", 1);
  try {
    Simulation(problem, *cubic_solver(), *backend, run_options(64, 1, 100));
    FAIL();
  } catch (const CflError& error) {
    EXPECT_NEAR(static_cast<double>(error.smallest_steps()), 64e15, 1e10);
  }
}

TEST(Stepping, GivenDeclarationsThatNoEngineCanServeThenValueAndSolverAreNamed) {
  const FunctionCase problem;
  const auto backend = make_backend("serial", 1);
  const auto refusal = [&](const AnsweringSolver& solver) -> std::string {
    try {
      Simulation(problem, solver, *backend, run_options(64, 1, 100));
    } catch (const DeclarationError& error) {
      return error.what();
    }
    return "nothing";
  };
  for (const double limit : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    AnsweringSolver solver;
    solver.declared.name = "odd";
    solver.declared.cfl_limit = limit;
    const std::string message = refusal(solver);
    EXPECT_NE(message.find("solver 'odd' declares a CFL limit of "), std::string::npos) << message;
  }
  AnsweringSolver solver;
  solver.count = kMostCoefficients;
  EXPECT_EQ(refusal(solver), "nothing");
  ++solver.count;
  EXPECT_NE(refusal(solver).find("262145 coefficients"), std::string::npos) << refusal(solver);
}

TEST(Stepping, GivenAVelocityThatIsNotANumberThenTheRunIsRefused) {
  FunctionCase problem;
  problem.vx = [](double x, double) { return x > 0.5 ? std::nan("") : 0.0; };
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  EXPECT_THROW(Simulation(problem, *solver, *backend, run_options(32, 1, 64)), std::runtime_error);
}

TEST(Stepping, GivenAVelocityDeclaredUnsteadyThenTheBitsAreThoseOfTheSteadyOne) {
  FunctionCase problem;
  problem.u = [](double x, double y) { return std::exp(-80.0 * ((x - 0.4) * (x - 0.4) + y * y)); };
  problem.vx = [](double, double y) { return 0.5 - y; };
  problem.vy = [](double x, double) { return x - 0.5; };
  const auto solver = cubic_solver("second_order");
  const auto backend = make_backend("serial", 1);
  std::vector<std::string> hashes;
  for (const bool steady : {true, false}) {
    problem.steady = steady;
    Simulation run(problem, *solver, *backend, run_options(64, 2, 320));
    run.advance(20);
    hashes.push_back(state_hash(run.hierarchy()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Stepping, GivenAPatchWiseUniformFlowThenOnePeriodReturnsTheSmoothField) {
  FunctionCase problem;
  const auto bump = [](double x, double y) {
    return std::sin(2.0 * std::numbers::pi * x) * std::cos(2.0 * std::numbers::pi * y);
  };
  problem.u = bump;
  problem.vx = [](double, double) { return 1.0; };
  problem.vy = [](double, double) { return -1.0; };
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  const auto error = [&](int n) {
    Simulation run(problem, *solver, *backend, run_options(n, 1, 2 * n + n / 2));
    run.advance(2 * n + n / 2);
    double largest = 0.0;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const double exact = bump(static_cast<double>(i) / n, static_cast<double>(j) / n);
        largest = std::max(largest, std::abs(base_value(run.hierarchy(), i, j) - exact));
      }
    }
    return largest;
  };
  EXPECT_NEAR(std::log2(error(32) / error(64)), 3.0, 0.1) << "third order in space";
}

TEST(Stepping, GivenPartsThatDoNotFitThenTheRunIsRefused) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto exact_solver = cubic_solver("exact");
  const auto backend = make_backend("serial", 1);
  EXPECT_THROW(Simulation(*problem, *solver, *backend, run_options(100, 1, 640)),
               std::invalid_argument);
  EXPECT_THROW(Simulation(*problem, *solver, *backend, run_options(64, 0, 640)),
               std::invalid_argument);
  EXPECT_THROW(Simulation(*problem, *solver, *backend, run_options(64, 1, 0)),
               std::invalid_argument);
  SimulationOptions never = run_options(64, 2, 640);
  never.refinement.interval = -1;
  EXPECT_THROW(Simulation(*problem, *solver, *backend, never), std::invalid_argument);
  SimulationOptions wide = run_options(64, 2, 640);
  wide.refinement.buffer = kPatchSize + 1;
  EXPECT_THROW(Simulation(*problem, *solver, *backend, wide), std::invalid_argument);
  const FunctionCase no_trajectories;
  EXPECT_THROW(Simulation(no_trajectories, *exact_solver, *backend, run_options(64, 1, 640)),
               std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::amr
