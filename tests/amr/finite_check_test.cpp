// Contract: a value that is not finite is found wherever it stands, and ends a run with its step,
// level, patch and point.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/finite_check.hpp>

#include "fixtures.hpp"
#include "kernels.hpp"
#include "problem/finite_kernel.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::FunctionCase;
using test::run_options;
using test::scripted_options;
using test::ScriptedCase;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(FiniteCheck, GivenAnyNumberOfValuesThenEveryInstructionSetFindsTheBrokenOne) {
  for (const auto kernel :
       kumiko::test::kernels_here(&finite_baseline, &finite_avx2, &finite_avx512)) {
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<double> values(count, std::numeric_limits<double>::max());
      EXPECT_TRUE(kernel(values.data(), count));
      for (double& value : values) {
        const double kept = value;
        for (const double broken : {kNaN, -kNaN, kInfinity, -kInfinity}) {
          value = broken;
          EXPECT_FALSE(kernel(values.data(), count)) << broken << " of " << count;
        }
        value = kept;
      }
    }
  }
}

TEST(FiniteCheck, GivenABrokenValueAtAnyPointThenItIsFound) {
  std::vector<double> values(PatchView::size(2, 2), 1.0);
  const PatchView view(values.data(), 2, 2);
  for (const double broken : {kNaN, -kNaN, kInfinity, -kInfinity}) {
    for (int component = 0; component < 2; ++component) {
      for (int at = 0; at < kPatchPoints; ++at) {
        double& value = view(at % kPatchSize, at / kPatchSize, component);
        value = broken;
        ASSERT_FALSE(is_finite(view)) << broken << " at " << at;
        value = 1.0;
      }
    }
  }
  EXPECT_TRUE(is_finite(view));
}

TEST(FiniteCheck, GivenFiniteValuesOfAnySizeThenNothingIsFound) {
  std::vector<double> values(PatchView::size(1, 2), 1.0);
  const PatchView view(values.data(), 1, 2);
  int at = 0;
  for (const double value :
       {0.0, -0.0, std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(),
        std::numeric_limits<double>::min(), std::numeric_limits<double>::denorm_min()}) {
    view(at, at, 0) = value;
    ++at;
  }
  EXPECT_TRUE(is_finite(view));
  view(-1, 3) = kNaN;
  view(5, kPatchSize) = kInfinity;
  EXPECT_TRUE(is_finite(view)) << "ghosts are not the state";
}

TEST(FiniteCheck, GivenAPatchThenTheErrorHasEveryField) {
  std::vector<double> values(PatchView::size(2, 2), 1.0);
  const PatchView view(values.data(), 2, 2);
  view(3, 9, 1) = -kInfinity;
  try {
    check_finite(PatchId{2, 7, 5}, view, 40);
    FAIL();
  } catch (const NonFiniteError& error) {
    EXPECT_EQ(error.step, 40);
    EXPECT_EQ(error.patch, (PatchId{2, 7, 5}));
    EXPECT_EQ(error.at.i, 3);
    EXPECT_EQ(error.at.j, 9);
    EXPECT_EQ(error.at.component, 1);
    EXPECT_EQ(error.at.value, -kInfinity);
    EXPECT_EQ(std::string(error.what()),
              "the value at point (3, 9) of level 2 patch (7, 5), component 1, is -inf after base "
              "step 40; the case or the solver is not stable as configured");
  }
}

TEST(FiniteCheck, GivenTheInitialStateThenTheCaseIsToBeCorrected) {
  std::vector<double> values(PatchView::size(1, 0), kInfinity);
  try {
    check_finite(PatchId{0, 0, 0}, PatchView(values.data(), 1, 0), 0);
    FAIL();
  } catch (const NonFiniteError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the value at point (0, 0) of level 0 patch (0, 0), component 0, is inf in the "
              "initial state; correct the case's initial(), which must write a finite value there");
  }
}

/// Advects and multiplies by 1e120: what is 1 at the start is infinite after three steps.
class ExplodingSolver final : public Solver {
 public:
  const SolverTraits& traits() const override { return inner_->traits(); }
  std::size_t coefficients() const override { return inner_->coefficients(); }
  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return inner_->prepare(problem, patch, time, dt, coefficients);
  }
  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    inner_->advance(before, coefficients, after);
    after.interior() *= 1e120;
  }
  void displacement(const Case& problem, Points points, double time, double tau,
                    Vectors displacement) const override {
    inner_->displacement(problem, points, time, tau, displacement);
  }

 private:
  std::unique_ptr<Solver> inner_ = cubic_solver();
};

/// The error of a run of at most ten steps, one by one.
NonFiniteError explode(const Case& problem, const SimulationOptions& options,
                       const std::string& backend_name) {
  const ExplodingSolver solver;
  const auto backend = make_backend(backend_name, backend_name == "serial" ? 1 : 3);
  Simulation run(problem, solver, *backend, options);
  try {
    for (int step = 0; step < 10; ++step) run.advance(1);
  } catch (const NonFiniteError& error) {
    return error;
  }
  ADD_FAILURE() << "the run went on";
  return {0, {}, {}};
}

TEST(FiniteCheck, GivenARunThatExplodesThenItEndsWithTheStepAndThePointOnAnyBackend) {
  FunctionCase problem;
  problem.u = [](double x, double y) { return x == 21.0 / 64 && y == 50.0 / 64 ? 1.0 : 0.0; };
  SimulationOptions options = run_options(64, 1, 64);
  options.refinement.check_finite = 1;
  for (const char* backend : {"serial", "threads"}) {
    const NonFiniteError error = explode(problem, options, backend);
    EXPECT_EQ(error.step, 3);
    EXPECT_EQ(error.patch, (PatchId{0, 1, 3}));
    EXPECT_EQ(error.at.i, 5);
    EXPECT_EQ(error.at.j, 2);
  }
}

TEST(FiniteCheck, GivenAnIntervalThenTheRunIsLookedAtNoMoreOften) {
  FunctionCase problem;
  problem.u = [](double x, double y) { return x == 0.5 && y == 0.5 ? 1.0 : 0.0; };
  SimulationOptions options = run_options(64, 1, 64);
  options.refinement.check_finite = 5;
  EXPECT_EQ(explode(problem, options, "serial").step, 5);
}

TEST(FiniteCheck, GivenABrokenFinePatchThenTheFinestLevelIsNamed) {
  ScriptedCase problem;
  problem.u = [](double x, double y) { return x == 0.5 && y == 0.5 ? 1.0 : 0.0; };
  problem.indicator = [](int, int, double x, double y) {
    return std::hypot(x - 0.5, y - 0.5) < 0.1 ? 1.0 : 0.0;
  };
  SimulationOptions options = scripted_options(3);
  options.refinement.check_finite = 1;
  const NonFiniteError error = explode(problem, options, "serial");
  EXPECT_EQ(error.step, 1) << "four steps of level 2";
  EXPECT_EQ(error.patch.level, 2);
}

TEST(FiniteCheck, GivenInitialDataThatIsNotFiniteThenTheRunDoesNotBegin) {
  FunctionCase problem;
  problem.u = [](double x, double) { return x > 0.9 ? kNaN : 0.0; };
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 2, 64);
  EXPECT_THROW(Simulation(problem, *solver, *backend, options), NonFiniteError);
  options.refinement.check_finite = 0;
  EXPECT_NO_THROW(Simulation(problem, *solver, *backend, options));
}

}  // namespace
}  // namespace kumiko::amr
