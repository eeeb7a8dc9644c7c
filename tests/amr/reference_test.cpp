// Contract: the reference runs of docs/reference/numerics.md give the values printed there.
#include <cmath>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::run_options;
using test::zalesak;

struct Outcome {
  double rms;
  double fraction_of_uniform;
};

Outcome run_to_the_end(const SimulationOptions& options) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("threads", 0);
  Simulation run(*problem, *solver, *backend, options);
  run.advance(options.steps);
  const double uniform =
      std::pow(8.0, options.levels - 1) * options.points_x * options.points_y * options.steps;
  return {error_norms(run.hierarchy(), *problem, run.time(), *backend)->rms,
          static_cast<double>(run.counters().updates()) / uniform};
}

TEST(Reference, GivenZalesakOn256NodesThenTheRmsErrorIsTheThesiss) {
  EXPECT_NEAR(run_to_the_end(run_options(256, 1, 2560)).rms, 6.0003e-2, 0.5e-6);
}

TEST(Reference, GivenZalesakOn1024NodesThenTheRmsErrorIsTheThesiss) {
  // The thesis prints 3.566e-2; a plain program of two loops over the nodes, in double precision,
  // gives 3.5660460764e-2.
  EXPECT_NEAR(run_to_the_end(run_options(1024, 1, 10240)).rms, 3.5660460764e-2, 1e-10);
}

TEST(Reference, GivenThreeLevelsThenAmrHasTheFineGridsErrorForATenthOfItsUpdates) {
  SimulationOptions options = run_options(256, 3, 2560);
  Outcome outcome = run_to_the_end(options);
  EXPECT_NEAR(outcome.rms, 3.6005e-2, 0.5e-6);
  EXPECT_NEAR(outcome.fraction_of_uniform, 0.0986, 0.5e-4);
  options.time_interpolation = TimeInterpolation::kLinear;
  outcome = run_to_the_end(options);
  EXPECT_NEAR(outcome.rms, 3.6009e-2, 0.5e-6);
}

}  // namespace
}  // namespace kumiko::amr
