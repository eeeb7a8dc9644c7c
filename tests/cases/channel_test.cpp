// Contract: what enters the channel and what leaves it, by the closed form, in whole runs: on
// levels of cells with walls, on levels of nodes with sides without gradient.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

using Parameters = std::vector<std::pair<std::string, amr::ParameterValue>>;

std::unique_ptr<amr::Case> make(const Parameters& changed = {}) {
  amr::ParameterSet parameters;
  for (const auto& [name, value] : changed) parameters.set(name, value);
  return plugin::find_case("channel")->make(parameters);
}

constexpr int kSteps = 80;

/// A run of 64 × 32 points on one or two levels.
struct Flow {
  Flow(const Parameters& parameters, const std::string& solver_name, int levels)
      : problem(make(parameters)), solver(plugin::find_solver(solver_name)->make(departure())) {
    amr::SimulationOptions options;
    options.points_x = 64;
    options.points_y = 32;
    options.levels = levels;
    options.steps = kSteps;
    const bool cells = solver->traits().centring == amr::Centring::kCell;
    options.time_interpolation =
        cells ? amr::TimeInterpolation::kQuadratic : amr::TimeInterpolation::kCharacteristic;
    options.refinement.threshold = 0.1;
    options.refinement.buffer = 4;
    options.refinement.interval = 2;
    simulation = std::make_unique<amr::Simulation>(*problem, *solver, *backend, options);
  }

  static amr::ParameterSet departure() {
    amr::ParameterSet parameters;
    parameters.set("departure", std::string("second_order"));
    return parameters;
  }

  amr::FieldFigures figures() const {
    return amr::field_figures(simulation->hierarchy(), *backend);
  }
  amr::ErrorNorms errors() const {
    return *amr::error_norms(simulation->hierarchy(), *problem, simulation->time(), *backend);
  }

  std::unique_ptr<amr::Case> problem;
  std::unique_ptr<amr::Solver> solver;
  std::unique_ptr<amr::Backend> backend = amr::make_backend("serial", 1);
  std::unique_ptr<amr::Simulation> simulation;
};

struct Kind {
  std::string solver;
  std::string walls;
  int levels;
};

class ChannelRun : public ::testing::TestWithParam<Kind> {
 protected:
  Flow run(Parameters parameters) const {
    parameters.emplace_back("walls", GetParam().walls);
    return Flow(parameters, GetParam().solver, GetParam().levels);
  }
};

TEST_P(ChannelRun, GivenAGaussianAloneThenItLeavesAndNothingComesBack) {
  for (const std::string profile : {"plug", "parabolic"}) {
    Flow leaving = run({{"profile", profile}, {"inflow", 0.0}});
    const double before = leaving.figures().mass;
    leaving.simulation->advance(kSteps);
    const amr::FieldFigures after = leaving.figures();
    // 2πσ², of which next to nothing lies outside at the start.
    EXPECT_NEAR(before, 2.0 * 3.14159265358979 * 0.08 * 0.08, 1e-4);
    EXPECT_LT(std::abs(after.mass), 1e-3 * before) << profile;
    EXPECT_LT(std::max(after.maximum, -after.minimum), 5e-3) << profile;
  }
}

TEST_P(ChannelRun, GivenAnInflowThenTheFrontIsWhereTheFlowTakesIt) {
  Flow entering = run({{"profile", std::string("plug")}, {"height", 0.0}, {"duration", 1.0}});
  entering.simulation->advance(kSteps);
  // 1 up to x = 1; the front is some cells wide.
  EXPECT_NEAR(entering.figures().mass, 1.0, 0.01);
  const amr::Level& base = entering.simulation->hierarchy().level(0);
  const auto value = [&](int i, int j) {
    const int slot = entering.simulation->hierarchy().mesh().find({0, i / 16, j / 16});
    return base.patch(static_cast<std::size_t>(slot)).now()(i % 16, j % 16);
  };
  for (int j = 0; j < 32; ++j) {
    EXPECT_NEAR(value(16, j), 1.0, 1e-2);
    EXPECT_NEAR(value(48, j), 0.0, 1e-2);
    EXPECT_GT(value(29, j), 0.5);
    EXPECT_LT(value(34, j), 0.5);
  }
}

TEST_P(ChannelRun, GivenAParabolicProfileThenTheMassThatEntersIsTheClosedForm) {
  Flow entering = run({{"inflow", 2.0}, {"height", 0.0}});
  // What is lost when the inflow meets still water stays within half a cell's width.
  const double half_a_cell = 2.0 * 0.5 / 32;
  double lost = 0.0;
  for (int quarter = 1; quarter <= 4; ++quarter) {
    entering.simulation->advance(kSteps / 4);
    // The mean of the profile is 2/3.
    const double entered = 2.0 * (1.5 * quarter / 4) * (2.0 / 3.0);
    const double difference = entering.figures().mass - entered;
    EXPECT_LT(std::abs(difference), half_a_cell) << quarter;
    if (quarter == 1) lost = difference;
    EXPECT_NEAR(difference, lost, 0.1 * half_a_cell) << quarter;
  }
}

TEST_P(ChannelRun, GivenAFullChannelThenItHoldsTheInflowsValueUpToItsWalls) {
  Flow full = run({{"profile", std::string("plug")}, {"height", 0.0}, {"duration", 2.4}});
  full.simulation->advance(kSteps);
  const amr::FieldFigures figures = full.figures();
  EXPECT_NEAR(figures.mass, 2.0, 2e-3);
  EXPECT_NEAR(figures.minimum, 1.0, 2e-2);
  EXPECT_NEAR(figures.maximum, 1.0, 2e-2);
}

TEST_P(ChannelRun, GivenAGaussianAlongAWallThenNothingOfItPassesTheWall) {
  Flow along = run({{"inflow", 0.0}, {"x", 0.8}, {"y", 0.0}, {"duration", 0.4}});
  const double before = along.figures().mass;
  along.simulation->advance(kSteps);
  // Levels of nodes conserve as far as interpolation does.
  const bool is_conserved = along.solver->traits().flux_form || GetParam().levels == 1;
  EXPECT_NEAR(along.figures().mass, before, (is_conserved ? 1e-12 : 1e-3) * before);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChannelRun,
                         ::testing::Values(Kind{"finite_volume_upwind3", "reflecting", 1},
                                           Kind{"finite_volume_upwind3", "reflecting", 2},
                                           Kind{"semi_lagrangian_cubic", "outflow", 1},
                                           Kind{"semi_lagrangian_cubic", "outflow", 2}),
                         [](const auto& test) {
                           return test.param.solver + "_" + test.param.walls + "_" +
                                  std::to_string(test.param.levels);
                         });

TEST(Channel, GivenASmoothFieldThenTheErrorFallsWithTheSpacing) {
  Flow coarse({{"inflow", 0.0}, {"duration", 0.4}, {"x", 1.0}}, "finite_volume_upwind3", 1);
  Flow fine({{"inflow", 0.0}, {"duration", 0.4}, {"x", 1.0}}, "finite_volume_upwind3", 2);
  coarse.simulation->advance(kSteps);
  fine.simulation->advance(kSteps);
  EXPECT_LT(fine.errors().rms, coarse.errors().rms / 4.0);
}

TEST(Channel, GivenWallsThenTheyAreOfTheKindAskedFor) {
  EXPECT_EQ(make()->boundaries().top.kind, amr::BoundaryKind::kReflecting);
  const auto open = make({{"walls", std::string("outflow")}, {"inflow", 3.0}});
  EXPECT_EQ(open->boundaries().bottom.kind, amr::BoundaryKind::kOutflow);
  EXPECT_EQ(open->boundaries().left.value, 3.0);
  EXPECT_EQ(open->boundaries().right.kind, amr::BoundaryKind::kOutflow);
}

TEST(Channel, GivenTimesThenTheFrontIsDrawnOutByTheProfile) {
  const auto problem = make({{"height", 0.0}, {"inflow", 5.0}});
  const auto exact_at = [&](double x, double y, double time) {
    double value = -1.0;
    EXPECT_TRUE(problem->exact({{&x, 1}, {&y, 1}}, 0, time, {&value, 1}));
    return value;
  };
  EXPECT_EQ(exact_at(0.49, 0.5, 0.5), 5.0);
  EXPECT_EQ(exact_at(0.51, 0.5, 0.5), 0.0);
  EXPECT_EQ(exact_at(0.37, 0.25, 0.5), 5.0) << "U = 3/4 there";
  EXPECT_EQ(exact_at(0.38, 0.25, 0.5), 0.0);
  EXPECT_EQ(exact_at(0.0, 0.0, 0.5), 0.0) << "nothing moves at a wall";
}

}  // namespace
}  // namespace kumiko::cases
