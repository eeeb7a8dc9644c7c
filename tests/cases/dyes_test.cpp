// Contract: LeVeque's three shapes, each a component with a name of its own.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

constexpr double kPi = std::numbers::pi;

std::unique_ptr<amr::Case> make() { return plugin::find_case("dyes")->make({}); }

double exact_at(const amr::Case& problem, int component, double x, double y, double time) {
  double value = -1.0;
  EXPECT_TRUE(problem.exact({{&x, 1}, {&y, 1}}, component, time, {&value, 1}));
  return value;
}

TEST(Dyes, GivenThreeThenTheyHaveNames) {
  const auto problem = make();
  EXPECT_EQ(problem->components(), 3);
  EXPECT_EQ(problem->component_names(), (std::vector<std::string>{"disk", "cone", "hump"}));
}

TEST(Dyes, GivenTheStartThenEachHasItsShapeAndNothingOfTheOthers) {
  const auto problem = make();
  const auto at = [&](int component, double x, double y) {
    return exact_at(*problem, component, x, y, 0.0);
  };
  EXPECT_EQ(at(0, 0.4, 0.75), 1.0);
  EXPECT_EQ(at(0, 0.5, 0.75), 0.0) << "in the slot";
  EXPECT_EQ(at(1, 0.5, 0.25), 1.0);
  EXPECT_NEAR(at(1, 0.56, 0.25), 0.6, 1e-14);
  EXPECT_EQ(at(1, 0.5, 0.41), 0.0);
  EXPECT_EQ(at(2, 0.25, 0.5), 0.5);
  EXPECT_NEAR(at(2, 0.25, 0.55), 0.25 * (1.0 + std::cos(kPi / 3.0)), 1e-14);
  EXPECT_NEAR(at(2, 0.41, 0.5), 0.0, 1e-15);
  EXPECT_EQ(at(0, 0.5, 0.25), 0.0);
  EXPECT_EQ(at(1, 0.25, 0.5), 0.0);
  EXPECT_NEAR(at(2, 0.4, 0.75), 0.0, 1e-15);
}

TEST(Dyes, GivenAQuarterTurnThenAllHaveTurned) {
  const auto problem = make();
  const double quarter = 0.5 * kPi;
  EXPECT_NEAR(exact_at(*problem, 1, 0.75, 0.5, quarter), 1.0, 1e-14);
  EXPECT_NEAR(exact_at(*problem, 2, 0.5, 0.25, quarter), 0.5, 1e-14);
  EXPECT_EQ(exact_at(*problem, 0, 0.25, 0.4, quarter), 1.0);
}

TEST(Dyes, GivenCellAveragesOnTwoLevelsThenTheMassOfEachStays) {
  const auto problem = make();
  const auto solver = plugin::find_solver("finite_volume_upwind3")->make({});
  const auto backend = amr::make_backend("serial", 1);
  amr::SimulationOptions options;
  options.points_x = 64;
  options.points_y = 64;
  options.levels = 2;
  options.steps = 320;
  options.time_interpolation = amr::TimeInterpolation::kQuadratic;
  options.refinement.threshold = 0.1;
  amr::Simulation simulation(*problem, *solver, *backend, options);
  const auto figures = [&] { return amr::field_figures(simulation.hierarchy(), *backend); };
  const amr::FieldFigures before = figures();
  simulation.advance(16);
  const amr::FieldFigures after = figures();
  ASSERT_EQ(after.components.size(), 3U);
  ASSERT_GT(simulation.hierarchy().level(1).size(), 0U);
  for (std::size_t at = 0; at < 3; ++at) {
    const double mass = before.components[at].mass;
    EXPECT_GT(mass, 0.01);
    EXPECT_NEAR(after.components[at].mass, mass, 1e-12 * mass) << problem->component_names()[at];
  }
  const auto errors =
      amr::error_norms(simulation.hierarchy(), *problem, simulation.time(), *backend);
  ASSERT_TRUE(errors.has_value());
  EXPECT_LT(errors->components[1].linf, 0.1) << "the cone keeps its tip";
  EXPECT_LT(errors->components[2].linf, 0.01) << "the hump is smooth";
}

}  // namespace
}  // namespace kumiko::cases
