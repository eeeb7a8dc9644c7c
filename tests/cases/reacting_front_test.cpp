// Contract: a spot whose edge steepens by the reaction and turns with the flow, known at all times;
// the solver advection_reaction keeps its front within a cell.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

constexpr double kRate = 8.0;
constexpr double kQuarter = 0.5 * std::numbers::pi;

std::unique_ptr<amr::Case> make() {
  const plugin::CaseFactory* const factory = plugin::find_case("reacting_front");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("rate", kRate);
  return factory->make(parameters);
}

double exact_at(const amr::Case& problem, double x, double y, double time) {
  double value = -1.0;
  EXPECT_TRUE(problem.exact({{&x, 1}, {&y, 1}}, 0, time, {&value, 1}));
  return value;
}

TEST(ReactingFront, GivenTheStartThenTheEdgeFallsFrom1To0Across0p2) {
  const auto problem = make();
  for (const auto& [r, u] : {std::array{0.0, 1.0}, {0.049, 1.0}, {0.15, 0.5}, {0.251, 0.0}}) {
    EXPECT_NEAR(exact_at(*problem, 0.5 + r, 0.75, 0.0), u, 1e-15) << r;
    EXPECT_NEAR(exact_at(*problem, 0.5, 0.75 - r, 0.0), u, 1e-14) << r;
  }
  EXPECT_NEAR(exact_at(*problem, 0.6, 0.75, 0.0), 0.5 + 0.5 * std::cos(0.25 * std::numbers::pi),
              1e-14);
  EXPECT_DOUBLE_EQ(problem->end_time(), kQuarter);
}

TEST(ReactingFront, GivenATimeThenTheSolutionIsWhatRungeAndKuttaMakeOfTheSource) {
  const auto problem = make();
  const auto source = [](double u) { return -kRate * u * (u - 0.5) * (u - 1.0); };
  for (const double r : {0.06, 0.1, 0.14, 0.15, 0.17, 0.22}) {
    constexpr int kSteps = 20000;
    const double h = kQuarter / kSteps;
    double u = exact_at(*problem, 0.5 + r, 0.75, 0.0);
    for (int step = 0; step < kSteps; ++step) {
      const double a = source(u);
      const double b = source(u + h / 2 * a);
      const double c = source(u + h / 2 * b);
      const double d = source(u + h * c);
      u += h / 6 * (a + 2 * b + 2 * c + d);
    }
    // A quarter of a turn brings (0.5 + r, 0.75) to (0.25, 0.5 + r).
    EXPECT_NEAR(exact_at(*problem, 0.25, 0.5 + r, kQuarter), u, 1e-11) << r;
  }
}

TEST(ReactingFront, GivenTheShippedRunThenTheFrontIsRightWithinACell) {
  const auto problem = make();
  const plugin::SolverFactory* const factory = plugin::find_solver("advection_reaction");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("rate", kRate);
  const auto solver = factory->make(parameters);
  const auto backend = amr::make_backend("threads", 2);
  amr::SimulationOptions options;  // of reacting_front.toml
  options.points_x = 128;
  options.points_y = 128;
  options.levels = 3;
  options.steps = 160;
  options.refinement.interval = 2;
  amr::Simulation run(*problem, *solver, *backend, options);
  run.advance(options.steps);
  int beside = 0;
  for (int level = 0; level < 3; ++level) {
    const double h = run.hierarchy().geometry().spacing(level);
    for (const auto& [slot, first, size] : run.hierarchy().mesh().leaf_boxes(level)) {
      const amr::Patch& patch = run.hierarchy().level(level).patch(slot);
      for (int j = first[1]; j < first[1] + size; ++j) {
        for (int i = first[0]; i < first[0] + size; ++i) {
          const double x = h * (patch.id().i * amr::kPatchSize + i);
          const double y = h * (patch.id().j * amr::kPatchSize + j);
          const double outside = std::hypot(x - 0.25, y - 0.5) - 0.15;
          if (std::abs(outside) > h) {
            ASSERT_EQ(patch.now()(i, j) > 0.5, outside < 0.0) << level << ": " << x << ' ' << y;
          } else {
            ++beside;
            ASSERT_EQ(level, 2) << "the front lies in the finest level";
          }
        }
      }
    }
  }
  EXPECT_GT(beside, 500);
  const auto errors = amr::error_norms(run.hierarchy(), *problem, run.time(), *backend);
  ASSERT_TRUE(errors.has_value());
  EXPECT_LT(errors->rms, 0.007);
}

}  // namespace
}  // namespace kumiko::cases
