// Contract: the figures of docs/reference/accuracy.md that the design rests on. Third order with
// the defaults, on one level and on several; linear interpolation in time costs an order where the
// solution crosses the levels' boundary; nothing grows in ten revolutions.

#include <gtest/gtest.h>

#include "accuracy_runs.hpp"

namespace kumiko::amr {
namespace {

using test::Chequered;
using test::chequered_options;
using test::default_solver;
using test::errors_of;
using test::following_options;
using test::mean_square_distance;
using test::run_options;
using test::shipped_case;
using test::steps_for;
using test::steps_of_rotation;

/// Smallest order from N = 256 to 512 that counts as third.
constexpr double kThird = 2.9;

TEST(Accuracy, GivenTheDefaultsThenASmoothGaussianInRotationIsOfThirdOrder) {
  const auto problem = shipped_case("gaussian");
  const auto solver = default_solver();
  const auto backend = make_backend("threads", 0);
  const auto rms = [&](int n) {
    SimulationOptions options;
    options.points_x = options.points_y = n;
    options.steps = steps_of_rotation(n);
    return errors_of(*problem, *solver, *backend, options).rms;
  };
  EXPECT_GE(std::log2(rms(256) / rms(512)), kThird);
}

/// Errors at N = 128 and 256 of meshes whose finer level, as fine as 256 and 512, follows the hump.
std::pair<double, double> following_errors(const Case& problem, int (*steps)(int)) {
  const auto solver = default_solver();
  const auto backend = make_backend("threads", 0);
  const auto rms = [&](int n) {
    return errors_of(problem, *solver, *backend, following_options(n, steps(n))).rms;
  };
  return {rms(128), rms(256)};
}

TEST(Accuracy, GivenAMeshThatFollowsTheGaussianThenItIsOfThirdOrderAndAsGoodAsTheFineGrid) {
  const auto problem = shipped_case("gaussian");
  const auto [coarse, fine] = following_errors(*problem, steps_of_rotation);
  EXPECT_GE(std::log2(coarse / fine), kThird);
  const auto solver = default_solver();
  const auto backend = make_backend("threads", 0);
  const SimulationOptions uniform = run_options(256, 1, steps_of_rotation(256));
  EXPECT_NEAR(coarse / errors_of(*problem, *solver, *backend, uniform).rms, 1.0, 0.01);
}

TEST(Accuracy, GivenAMeshThatFollowsTheReversingVortexThenItIsOfThirdOrder) {
  const auto problem = shipped_case("vortex", {{"period", 1.0}, {"initial", "gaussian"}});
  const auto [coarse, fine] = following_errors(*problem, [](int n) { return steps_for(1.0, n); });
  EXPECT_GE(std::log2(coarse / fine), kThird);
}

/// Rotation over the chequered mesh, with ghosts of both kinds.
class OverTheSquares : public ::testing::Test {
 protected:
  std::unique_ptr<Simulation> finish(int n, TimeInterpolation interpolation) const {
    SimulationOptions options = chequered_options(n, steps_of_rotation(n));
    options.time_interpolation = interpolation;
    auto run = std::make_unique<Simulation>(problem_, *solver_, *backend_, options);
    run->advance(options.steps);
    return run;
  }
  double rms(const Simulation& run) const {
    return error_norms(run.hierarchy(), problem_, run.time(), *backend_)->rms;
  }

 private:
  Chequered problem_{shipped_case("gaussian")};
  std::unique_ptr<Solver> solver_ = default_solver();
  std::unique_ptr<Backend> backend_ = make_backend("threads", 0);
};

TEST_F(OverTheSquares, GivenCharacteristicGhostsThenWhatCrossesTheLevelsIsOfThirdOrder) {
  const double coarse = rms(*finish(128, TimeInterpolation::kCharacteristic));
  EXPECT_GE(std::log2(coarse / rms(*finish(256, TimeInterpolation::kCharacteristic))), kThird);
}

TEST_F(OverTheSquares, GivenLinearGhostsThenTheirExcessErrorIsOfSecondOrderAndAFifthOfTheWhole) {
  struct Excess {
    double of_errors;     ///< RMS error with linear ghosts less that with characteristic ones
    double of_solutions;  ///< mean square of the two solutions' difference
    double share;         ///< of_errors ÷ the error with linear ghosts
  };
  const auto excess = [&](int n) {
    const auto linear = finish(n, TimeInterpolation::kLinear);
    const auto traced = finish(n, TimeInterpolation::kCharacteristic);
    const double difference = rms(*linear) - rms(*traced);
    return Excess{difference, mean_square_distance(linear->hierarchy(), traced->hierarchy()),
                  difference / rms(*linear)};
  };
  const Excess coarse = excess(128);
  const Excess fine = excess(256);
  // Errors may cancel in their difference, the solutions' own difference cannot.
  for (const double order : {std::log2(coarse.of_errors / fine.of_errors),
                             std::log2(coarse.of_solutions / fine.of_solutions)}) {
    EXPECT_GE(order, 1.8);
    EXPECT_LE(order, 2.3);
  }
  EXPECT_GE(fine.share, 0.2);
}

}  // namespace
}  // namespace kumiko::amr
