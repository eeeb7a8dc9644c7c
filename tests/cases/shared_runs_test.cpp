// Contract: every shipped case and solver has the same bits on several ranks as on one.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

#include "amr/fixtures.hpp"
#include "amr/loopback_ranks.hpp"
#include "cases/case_parameters.hpp"

namespace kumiko::cases {
namespace {

struct Shipped {
  std::string problem;
  std::string solver;
  int levels = 2;
  int steps = 320;
  int points_y = 64;
  double threshold = 0.1;  ///< of refinement
};

/// Each solver, each case, each kind of boundary; periodic sides with few patches along them.
const std::vector<Shipped> kShipped = {
    {"zalesak", "upwind1", 2, 640},
    {"zalesak", "thinc", 2, 640},
    {"zalesak", "flux_form_fct", 3, 640},
    {"gaussian", "semi_lagrangian_cubic"},
    {"burgers", "burgers", 3, 128, 64, 0.01},
    {"reacting_front", "advection_reaction", 3, 160},
    {"dyes", "semi_lagrangian_cubic", 2, 512},
    {"channel", "finite_volume_upwind3", 2, 120, 32},
    {"vortex", "semi_lagrangian_cubic", 3, 640},
    {"deformation", "finite_volume_upwind3", 2, 256},
    {"expression", "flux_form_fct", 2, 640},
};

void PrintTo(const Shipped& shipped, std::ostream* out) {
  *out << shipped.problem << " by " << shipped.solver;
}

struct Ended {
  std::string hash;
  double mass = 0.0;
  std::size_t patches = 0;
};

class SharedShipped : public testing::TestWithParam<Shipped> {
 protected:
  /// Rank 0's; nothing for the others.
  static Ended run(amr::Schedule schedule, amr::Backend& backend, amr::Communicator& communicator) {
    const Shipped& shipped = GetParam();
    const auto problem = plugin::find_case(shipped.problem)->make(parameters_of(shipped.problem));
    const auto solver = plugin::find_solver(shipped.solver)->make({});
    amr::SimulationOptions options = amr::test::run_options(64, shipped.levels, shipped.steps);
    options.points_y = shipped.points_y;
    options.schedule = schedule;
    options.refinement.interval = 2;
    options.refinement.threshold = shipped.threshold;
    options.refinement.delta = 0.05;
    options.refinement.floor = 0.01;
    amr::Simulation simulation(*problem, *solver, backend, options, communicator);
    if (communicator.rank() != 0) {
      while (simulation.follow()) {
      }
      return {};
    }
    simulation.advance(5);
    return {simulation.state_hash(), simulation.field_figures().mass,
            simulation.hierarchy().mesh().space_filling_order().size()};
  }
};

TEST_P(SharedShipped, GivenThreeRanksThenTheyHaveTheBitsOfOne) {
  if (!can_be_made(GetParam().problem)) GTEST_SKIP() << "this build has no muParser";
  const auto backend = amr::make_backend("threads", 1);
  const Ended one = run(amr::Schedule::kLevel, *backend, amr::single_rank());
  const int base = 4 * GetParam().points_y / amr::kPatchSize;
  ASSERT_GT(one.patches, static_cast<std::size_t>(base)) << "nothing is refined";
  for (const amr::Schedule schedule : {amr::Schedule::kLevel, amr::Schedule::kDataflow}) {
    amr::test::on_loopback_ranks({.ranks = 3, .seed = 7},
                                 [&](amr::Backend& of_rank, amr::Communicator& communicator) {
                                   const Ended own = run(schedule, of_rank, communicator);
                                   if (communicator.rank() != 0) return;
                                   EXPECT_EQ(own.hash, one.hash);
                                   EXPECT_EQ(own.mass, one.mass);
                                   EXPECT_EQ(own.patches, one.patches);
                                 });
  }
}

INSTANTIATE_TEST_SUITE_P(All, SharedShipped, testing::ValuesIn(kShipped));

TEST(SharedShippedList, GivenTheRegistryThenEverySolverAndCaseIsTried) {
  for (const auto& solver : plugin::shipped().solvers()) {
    EXPECT_TRUE(std::ranges::any_of(kShipped, [&](const Shipped& tried) {
      return tried.solver == solver.name;
    })) << solver.name;
  }
  for (const auto& problem : plugin::shipped().cases()) {
    EXPECT_TRUE(std::ranges::any_of(kShipped, [&](const Shipped& tried) {
      return tried.problem == problem.name;
    })) << problem.name;
  }
}

}  // namespace
}  // namespace kumiko::cases
