// Contract: a solver whose speeds depend on the solution has its steps judged by the state: too
// long ones are refused with a number of steps that suffices, automatic regrid intervals follow the
// state, and broken speeds end the run with their place. A solver with one ghost layer runs on as
// many levels as any.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::run_options;
using test::scripted_options;
using test::ScriptedCase;

/// Multiplies u by a factor at every step, and says that |u| is the speed. One ghost layer.
class GrowingSolver : public Solver {
 public:
  explicit GrowingSolver(double factor = 1.0) : factor_(factor) {
    traits_.name = "growing";
    traits_.ghosts = 1;
    traits_.nonlinear = true;
  }
  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 1; }
  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    coefficients[0] = dt / patch.spacing;
    double vx = 0.0;
    double vy = 0.0;
    const double at = 0.0;
    problem.velocity({{&at, 1}, {&at, 1}}, time, {{&vx, 1}, {&vy, 1}});
    return std::abs(vx) * coefficients[0];
  }
  void advance(ConstPatchView before, std::span<const double>, PatchView after) const override {
    after.interior() = factor_ * before.interior();
  }
  double state_cfl(ConstPatchView state, std::span<const double> coefficients) const override {
    double largest = 0.0;
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        if (!(std::abs(state(i, j)) <= largest)) largest = std::abs(state(i, j));
      }
    }
    return largest * coefficients[0];
  }

 private:
  double factor_;
  SolverTraits traits_;
};

/// 64 × 64 points, a time of 1: with 64 steps u is the CFL number of level 0.
FunctionCase constant(double u) {
  FunctionCase problem;
  problem.u = [u](double, double) { return u; };
  return problem;
}

SimulationOptions linear(SimulationOptions options) {
  options.time_interpolation = TimeInterpolation::kLinear;
  return options;
}

template <class Error, class Action>
Error thrown(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

TEST(StateCfl, GivenTooFewStepsForTheStateThenTheNumberThatTheErrorNamesIsEnough) {
  const auto backend = make_backend("serial", 1);
  const GrowingSolver growing;
  const auto burgers = plugin::find_solver("burgers");
  const auto wave = burgers->make(defaults(burgers->parameters));
  const auto check = [&](const Solver& solver, double u, int steps, int expected) {
    const FunctionCase problem = constant(u);
    const auto make = [&](int count) {
      Simulation run(problem, solver, *backend, linear(run_options(64, 1, count)));
    };
    const CflError error = thrown<CflError>([&] { make(steps); });
    const int enough = static_cast<int>(error.smallest_steps());
    EXPECT_EQ(enough, expected);
    EXPECT_NE(std::string(error.what()).find("`steps` must be " + std::to_string(expected)),
              std::string::npos)
        << error.what();
    EXPECT_NO_THROW(make(enough));
    EXPECT_THROW(make(enough - 1), CflError);
  };
  check(growing, -1.45, 64, 93);  // 1.45 × 64 = 92.8
  check(growing, 1.5, 7, 96);
  check(*wave, 0.3, 10, 77);  // 0.3 × 2 × 64 ÷ 0.5 = 76.8
}

TEST(StateCfl, GivenAVelocityThatAsksForMoreThanTheStateThenItsNumberIsNamed) {
  FunctionCase problem = constant(1.2);
  problem.vx = [](double, double) { return 2.0; };
  const auto backend = make_backend("serial", 1);
  const GrowingSolver solver;
  const auto run = [&](int steps) {
    Simulation(problem, solver, *backend, linear(run_options(64, 1, steps)));
  };
  EXPECT_EQ(thrown<CflError>([&] { run(64); }).smallest_steps(), 128);
  EXPECT_NO_THROW(run(128));
}

TEST(StateCfl, GivenAStateThatGrowsDuringTheRunThenTheStepThatIsTooLongIsRefused) {
  // 0.5, doubled at every step: 1 is served at the second, 2 is not at the third.
  const GrowingSolver solver(2.0);
  for (const bool steady : {true, false}) {
    FunctionCase problem = constant(0.5);
    problem.steady = steady;
    for (const auto& [name, workers] : {std::pair{"serial", 1}, std::pair{"threads", 3}}) {
      const auto backend = make_backend(name, workers);
      Simulation run(problem, solver, *backend, linear(run_options(64, 1, 64)));
      EXPECT_NO_THROW(run.advance(2));
      const CflError error = thrown<CflError>([&] { run.advance(1); });
      EXPECT_EQ(error.smallest_steps(), 128) << "what the state then asks for";
      EXPECT_NE(std::string(error.what()).find("has CFL number 2 at t = 0.03125"),
                std::string::npos)
          << error.what();
    }
  }
}

/// Its CFL number is 2, whatever the step.
struct ConstantCflSolver : GrowingSolver {
  double state_cfl(ConstPatchView, std::span<const double>) const override { return 2.0; }
};

TEST(StateCfl, GivenANumberThatDoesNotFallWithTheStepThenTheSolverIsBlamed) {
  const FunctionCase problem = constant(0.5);
  const auto backend = make_backend("serial", 1);
  const ConstantCflSolver solver;
  const auto error = thrown<DeclarationError>(
      [&] { Simulation(problem, solver, *backend, linear(run_options(64, 1, 64))); });
  EXPECT_NE(std::string(error.what()).find("state_cfl()"), std::string::npos) << error.what();
}

TEST(StateCfl, GivenNoSubcyclingThenTheFinestLevelIsWhatIsRefused) {
  ScriptedCase problem;
  problem.u = [](double, double) { return 0.6; };
  problem.indicator = [](int, int, double, double) { return 1.0; };
  const auto backend = make_backend("serial", 1);
  const GrowingSolver solver;
  SimulationOptions options = linear(scripted_options(2));
  EXPECT_NO_THROW(Simulation(problem, solver, *backend, options));
  options.subcycling = false;
  const CflError error = thrown<CflError>([&] { Simulation(problem, solver, *backend, options); });
  EXPECT_NE(std::string(error.what()).find("level 1 patch"), std::string::npos) << error.what();
  EXPECT_EQ(error.smallest_steps(), 77);  // 0.6 × 128
}

TEST(StateCfl, GivenAnAutomaticIntervalThenItFollowsTheState) {
  // Halved at every step, twice within a base step on level 1, which level 0 takes its values from:
  // 0.65 at the start, 0.65 / 16 at the start of the last step before the mesh is rebuilt.
  ScriptedCase problem;
  problem.u = [](double, double) { return 0.65; };
  problem.indicator = [](int, int, double, double) { return 1.0; };
  const GrowingSolver solver(0.5);
  for (const auto& [name, workers] : {std::pair{"serial", 1}, std::pair{"threads", 3}}) {
    const auto backend = make_backend(name, workers);
    SimulationOptions options = linear(scripted_options(2));
    options.refinement.interval = 0;
    options.refinement.buffer = 2;
    Simulation run(problem, solver, *backend, options);
    EXPECT_EQ(run.next_regrid(), 3) << "2 / 0.65";
    run.advance(4);
    EXPECT_EQ(run.next_regrid(), 3 + 49) << "2 / 0.040625";
  }
}

TEST(StateCfl, GivenAStateThatIsNotANumberThenTheRunEndsWithItsPatch) {
  FunctionCase problem;
  problem.u = [](double x, double y) { return x > 0.8 && y > 0.8 ? std::nan("") : 0.1; };
  const auto backend = make_backend("threads", 2);
  const GrowingSolver solver;
  const auto error = thrown<std::runtime_error>(
      [&] { Simulation(problem, solver, *backend, linear(run_options(64, 1, 64))); });
  EXPECT_STREQ(
      error.what(),
      "state_cfl() of solver 'growing' gives level 0 patch (3, 3) a CFL number that is not "
      "finite at t = 0: the state there is not one that it can advance, or state_cfl() is "
      "wrong");
}

TEST(StateCfl, GivenAStateThatOverflowsDuringTheRunThenTheRunEndsWithItsPatchAndTime) {
  const GrowingSolver solver(1e200);
  for (const auto& [name, workers] : {std::pair{"serial", 1}, std::pair{"threads", 3}}) {
    const auto backend = make_backend(name, workers);
    FunctionCase problem = constant(1e-250);
    problem.u = [](double x, double y) { return x < 0.2 && y > 0.8 ? 1e-250 : 0.0; };
    Simulation run(problem, solver, *backend, linear(run_options(64, 1, 64)));
    run.advance(1);
    EXPECT_NO_THROW(run.advance(1)) << "1e-50";
    const auto error = thrown<CflError>([&] { run.advance(1); });
    EXPECT_NE(std::string(error.what()).find("level 0 patch (0, 3)"), std::string::npos)
        << error.what();
  }
}

TEST(OneGhostLayer, GivenSeveralLevelsThenTheBitsAreThoseOfTheSameSolverThatAsksForThree) {
  /// Donor cells, with more ghosts than they need.
  class Wider final : public test::WrappedSolver {
   public:
    Wider() : WrappedSolver(plugin::find_solver("upwind1")->make({})) { traits_.ghosts = 3; }
  };
  FunctionCase problem;
  problem.u = [](double x, double y) { return std::hypot(x - 0.4, y - 0.6) < 0.2 ? 1.0 : 0.0; };
  problem.vx = [](double, double y) { return 0.4 + 0.3 * std::sin(2.0 * std::numbers::pi * y); };
  problem.vy = [](double, double) { return -0.3; };
  const auto one = plugin::find_solver("upwind1")->make({});
  const Wider three;
  ASSERT_EQ(one->traits().ghosts, 1);
  const auto hash = [&](const Solver& solver, const char* backend_name) {
    const auto backend = make_backend(backend_name, backend_name[0] == 's' ? 1 : 3);
    Simulation run(problem, solver, *backend, linear(run_options(64, 3, 128)));
    run.advance(20);
    EXPECT_GT(run.hierarchy().level(2).size(), 0U);
    return state_hash(run.hierarchy());
  };
  const std::string expected = hash(three, "serial");
  EXPECT_EQ(hash(*one, "serial"), expected);
  EXPECT_EQ(hash(*one, "threads"), expected);
}

}  // namespace
}  // namespace kumiko::amr
