// Contract: how errors fall as spacing and step shrink together, on grids small enough for every
// build. accuracy_test.cpp checks it on the grids of docs/reference/accuracy.md.
#include <gtest/gtest.h>

#include "accuracy_runs.hpp"

namespace kumiko::amr {
namespace {

using test::Chequered;
using test::chequered_options;
using test::cubic_solver;
using test::errors_of;
using test::mean_square_distance;
using test::run_options;
using test::shipped_case;
using test::steps_of_rotation;

/// The mean-square difference that a departure scheme makes to the exact one, one revolution.
double departure_excess(const std::string& departure, int n) {
  const auto problem = shipped_case("gaussian");
  const auto backend = make_backend("serial", 1);
  const auto scheme = cubic_solver(departure);
  const auto exact = cubic_solver("exact");
  const SimulationOptions options = run_options(n, 1, steps_of_rotation(n));
  Simulation run(*problem, *scheme, *backend, options);
  Simulation reference(*problem, *exact, *backend, options);
  run.advance(options.steps);
  reference.advance(options.steps);
  return mean_square_distance(run.hierarchy(), reference.hierarchy());
}

TEST(Order, GivenFirstOrderDeparturesThenTheirExcessOverTheExactOnesFallsAtOrderOne) {
  const double order =
      std::log2(departure_excess("first_order", 64) / departure_excess("first_order", 128));
  EXPECT_NEAR(order, 1.0, 0.25);
}

TEST(Order, GivenSecondOrderDeparturesThenTheirExcessOverTheExactOnesFallsAtOrderTwo) {
  const double order =
      std::log2(departure_excess("second_order", 64) / departure_excess("second_order", 128));
  EXPECT_NEAR(order, 2.0, 0.25);
}

TEST(Order, GivenAFrontThatCrossesLevelsThenCharacteristicGhostsAreBetterThanLinearOnes) {
  const Chequered problem(shipped_case("gaussian"));
  const auto solver = cubic_solver("exact");
  const auto backend = make_backend("serial", 1);
  const auto error = [&](TimeInterpolation interpolation) {
    SimulationOptions options = chequered_options(64, steps_of_rotation(64));
    options.time_interpolation = interpolation;
    return errors_of(problem, *solver, *backend, options).rms;
  };
  EXPECT_LT(error(TimeInterpolation::kCharacteristic), 0.95 * error(TimeInterpolation::kLinear));
}

}  // namespace
}  // namespace kumiko::amr
