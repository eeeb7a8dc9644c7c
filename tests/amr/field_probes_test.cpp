// Contract: values at points are those of the field, to fourth order for nodes wherever the point
// lies and the cell's average for cells; integrals over boxes add up to the mass; extremes are
// those of the leaves; a hook sees each committed state once. None of them depends on ranks, and no
// bit of a run depends on them.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/field_probes.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

#include "fixtures.hpp"
#include "loopback_ranks.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::ScriptedCase;

/// The points to ask for, as Points has them.
struct PointLists {
  std::vector<double> x;
  std::vector<double> y;

  void add(double at_x, double at_y) {
    x.push_back(at_x);
    y.push_back(at_y);
  }
  Points points() const { return {x, y}; }
};

/// Seams and corners of patches of three levels, sides and corners of the domain, boundaries of
/// levels, and points in between.
PointLists all_kinds_of_points() {
  PointLists lists;
  for (const double x : {0.0, 0.125, 0.25, 0.2500001, 0.375, 0.4999, 0.5, 0.75, 0.9999, 1.0}) {
    for (const double y : {0.0, 0.1874, 0.25, 0.4375, 0.5, 0.74999, 0.875, 0.99, 1.0}) {
      lists.add(x, y);
    }
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(0.0, 1.0);
  for (int at = 0; at < 200; ++at) {
    const double x = anywhere(random);
    lists.add(x, anywhere(random));
  }
  return lists;
}

/// A run on three levels, whose finer ones cover boxes that touch sides of the domain.
struct ProbedRun {
  ProbedRun(const Case& problem, const std::string& solver_name, int points,
            Backend* workers = nullptr, Communicator& communicator = single_rank())
      : solver(plugin::find_solver(solver_name)->make({})) {
    SimulationOptions options = test::run_options(points, 3, ScriptedCase::kSteps);
    options.refinement.criterion = Criterion::kUser;
    options.refinement.threshold = 0.8;
    options.refinement.regions = {
        {0.26, 0.74, 0.26, 0.74, 7, 1}, {0.4, 0.49, 0.3, 0.49, 7, 2}, {0.0, 0.2, 0.9, 1.0, 7, 2}};
    if (workers == nullptr) own = make_backend("serial", 1);
    simulation.emplace(problem, *solver, workers != nullptr ? *workers : *own, options,
                       communicator);
  }
  Simulation* operator->() { return &*simulation; }

  std::unique_ptr<Solver> solver;
  std::unique_ptr<Backend> own;
  std::optional<Simulation> simulation;
};

constexpr const char* kNodes = "semi_lagrangian_cubic";
constexpr const char* kCells = "finite_volume_upwind3";

double wave(double x, double y) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return std::sin(kTurn * x) * std::cos(kTurn * y) + 0.3 * std::cos(2.0 * kTurn * (x + y));
}

double largest_error(ProbedRun& run, const PointLists& lists, const test::ScalarField& exact) {
  const std::vector<std::vector<double>> values = run->value_at(lists.points());
  double largest = 0.0;
  for (std::size_t at = 0; at < lists.x.size(); ++at) {
    largest = std::max(largest, std::abs(values[0][at] - exact(lists.x[at], lists.y[at])));
  }
  return largest;
}

TEST(ValueAt, GivenNodesOfAPeriodicFieldThenItIsOfFourthOrderOnSeamsSidesAndLevelsToo) {
  ScriptedCase problem;
  problem.u = wave;
  const PointLists lists = all_kinds_of_points();
  ProbedRun coarse(problem, kNodes, 64);
  ProbedRun fine(problem, kNodes, 128);
  const double before = largest_error(coarse, lists, wave);
  EXPECT_LT(before, 2e-4);
  EXPECT_GT(before / largest_error(fine, lists, wave), 13.0);
}

TEST(ValueAt, GivenACubicBeyondPrescribedSidesThenItIsExactUpToTheSides) {
  const auto cubic = [](double x, double y) {
    return (x - 0.3) * (x + 1.0) * (2.0 * x - 0.5) - y * y * (y - 2.0 * x * x) + 0.25;
  };
  ScriptedCase problem;
  problem.u = cubic;
  const Boundary given{BoundaryKind::kPrescribed, 0.0};
  problem.sides = {given, given, given, given};
  problem.beyond = [&](Side, double x, double y, int, double) { return cubic(x, y); };
  ProbedRun run(problem, kNodes, 64);
  EXPECT_LT(largest_error(run, all_kinds_of_points(), cubic), 1e-13);
}

TEST(ValueAt, GivenPointsAtNodesThenTheirValuesAreThoseOfTheNodesToTheBit) {
  ScriptedCase problem;
  problem.u = wave;
  ProbedRun run(problem, kNodes, 64);
  const Hierarchy& hierarchy = run->hierarchy();
  PointLists lists;
  std::vector<double> expected;
  for (int level = 0; level < 3; ++level) {
    for (const LeafBox<2>& leaf : hierarchy.mesh().leaf_boxes(level)) {
      const Patch& patch = hierarchy.level(level).patch(leaf.slot);
      for (int at = 0; at < leaf.size; ++at) {
        const int i = leaf.first[0] + at;
        const int j = leaf.first[1] + (at * 5) % leaf.size;
        lists.add(hierarchy.geometry().coordinate(level, patch.id().i * kPatchSize + i),
                  hierarchy.geometry().coordinate(level, patch.id().j * kPatchSize + j));
        expected.push_back(patch.now()(i, j));
      }
    }
  }
  EXPECT_EQ(run->value_at(lists.points()).front(), expected);
}

TEST(ValueAt, GivenCellsThenTheValueIsTheAverageOfTheFinestCellAround) {
  ScriptedCase problem;
  problem.u = wave;
  ProbedRun run(problem, kCells, 64);
  const PointLists lists = all_kinds_of_points();
  const std::vector<double> values = run->value_at(lists.points()).front();
  const Hierarchy& hierarchy = run->hierarchy();
  for (std::size_t at = 0; at < values.size(); ++at) {
    for (int level = 2; level >= 0; --level) {
      // The right and the upper side are periodic.
      const int points = hierarchy.geometry().points_x(level);
      const int i = static_cast<int>(lists.x[at] * points) % points;
      const int j = static_cast<int>(lists.y[at] * points) % points;
      const auto slot = hierarchy.mesh().find({level, i / kPatchSize, j / kPatchSize});
      if (slot < 0) continue;
      const Patch& patch = hierarchy.level(level).patch(static_cast<std::size_t>(slot));
      EXPECT_EQ(values[at], patch.now()(i % kPatchSize, j % kPatchSize))
          << lists.x[at] << " " << lists.y[at];
      break;
    }
  }
}

TEST(ValueAt, GivenAPointOutsideThenItIsRefusedAndTheRunContinues) {
  ScriptedCase problem;
  ProbedRun run(problem, kNodes, 64);
  for (const double outside : {-1e-12, 1.0000001, std::nan("")}) {
    PointLists lists;
    lists.add(0.5, outside);
    EXPECT_THROW(run->value_at(lists.points()), std::invalid_argument) << outside;
  }
  EXPECT_THROW(run->box_integrals({0.5, 1.5, 0.0, 1.0}), std::invalid_argument);
  EXPECT_THROW(run->box_integrals({0.5, 0.5, 0.0, 1.0}), std::invalid_argument);
  run->advance(1);
}

class BoxIntegral : public testing::TestWithParam<const char*> {};

TEST_P(BoxIntegral, GivenTheWholeDomainThenItIsTheMassToTheBitAndTilesAddUpToIt) {
  ScriptedCase problem;
  problem.u = [](double x, double y) { return 1.0 + wave(x, y); };
  ProbedRun run(problem, GetParam(), 64);
  const double mass = run->field_figures().mass;
  EXPECT_EQ(run->box_integrals({0.0, 1.0, 0.0, 1.0}).front(), mass);
  double tiles = 0.0;
  const std::vector<double> cuts = {0.0, 0.1, 0.3125, 1.0 / 3.0, 0.77, 1.0};
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    for (std::size_t j = 0; j + 1 < cuts.size(); ++j) {
      tiles += run->box_integrals({cuts[i], cuts[i + 1], cuts[j], cuts[j + 1]}).front();
    }
  }
  EXPECT_NEAR(tiles, mass, 1e-14);
}

TEST_P(BoxIntegral, GivenABoxAcrossLevelsThenItIsTheSumOverTheClippedLeaves) {
  ScriptedCase problem;
  problem.u = wave;
  ProbedRun run(problem, GetParam(), 64);
  const Rectangle box{0.2, 0.4567, 0.03, 0.61803};
  const Hierarchy& hierarchy = run->hierarchy();
  const auto part = [](double low, double high, double from, double to) {
    return std::max(0.0, std::min(high, to) - std::max(low, from));
  };
  double sum = 0.0;
  for (int level = 0; level < 3; ++level) {
    const double h = hierarchy.geometry().spacing(level);
    for (const LeafBox<2>& leaf : hierarchy.mesh().leaf_boxes(level)) {
      const Patch& patch = hierarchy.level(level).patch(leaf.slot);
      for (int at = 0; at < leaf.size * leaf.size; ++at) {
        const int i = leaf.first[0] + at % leaf.size;
        const int j = leaf.first[1] + at / leaf.size;
        const double x = h * (patch.id().i * kPatchSize + i);
        const double y = h * (patch.id().j * kPatchSize + j);
        sum += patch.now()(i, j) * part(x, x + h, box.x0, box.x1) * part(y, y + h, box.y0, box.y1);
      }
    }
  }
  EXPECT_NEAR(run->box_integrals(box).front(), sum, 1e-14);
}

INSTANTIATE_TEST_SUITE_P(OfBothCentrings, BoxIntegral, testing::Values(kNodes, kCells));

TEST(Extremes, GivenAFieldThenTheyAreTheFirstOfTheLeavesInCanonicalOrder) {
  ScriptedCase problem;
  // Four hills and four hollows of equal height.
  problem.u = [](double x, double y) {
    return std::cos(4.0 * std::numbers::pi * x) * std::cos(4.0 * std::numbers::pi * y);
  };
  ProbedRun run(problem, kNodes, 64);
  const Hierarchy& hierarchy = run->hierarchy();
  Extremes expected;
  for (int level = 0; level < 3; ++level) {
    for (std::size_t slot = 0; slot < hierarchy.mesh().size(level); ++slot) {
      const Patch& patch = hierarchy.level(level).patch(slot);
      for_each_leaf_quadrant<2>(hierarchy.mesh().covered_quadrants(level)[slot], [&](int q) {
        for (int at = 0; at < kQuadrantSize * kQuadrantSize; ++at) {
          const int i = quadrant_begin(q, 0) + at % kQuadrantSize;
          const int j = quadrant_begin(q, 1) + at / kQuadrantSize;
          const Extreme here{patch.now()(i, j),
                             hierarchy.geometry().coordinate(level, patch.id().i * kPatchSize + i),
                             hierarchy.geometry().coordinate(level, patch.id().j * kPatchSize + j)};
          if (here.value < expected.least.value) expected.least = here;
          if (here.value > expected.greatest.value) expected.greatest = here;
        }
      });
    }
  }
  const Extremes found = run->extremes().front();
  const auto expect_same = [](const Extreme& a, const Extreme& b) {
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.y, b.y);
  };
  expect_same(found.least, expected.least);
  expect_same(found.greatest, expected.greatest);
}

/// All that is probed of a run, after a few steps.
struct Probed {
  std::vector<std::vector<double>> values;
  std::vector<double> integrals;
  std::vector<double> extremes;
  std::string hash;

  friend bool operator==(const Probed& a, const Probed& b) {
    return a.values == b.values && a.integrals == b.integrals && a.extremes == b.extremes &&
           a.hash == b.hash;
  }
};

/// A turning pulse, on a mesh that follows nothing.
ScriptedCase turning() {
  ScriptedCase problem;
  problem.u = wave;
  problem.vx = [](double, double y) { return 0.3 * std::sin(2.0 * std::numbers::pi * y); };
  problem.vy = [](double x, double) { return 0.2 * std::cos(2.0 * std::numbers::pi * x); };
  return problem;
}

Probed probed(const Case& problem, const char* solver, Backend& backend,
              Communicator& communicator) {
  ProbedRun run(problem, solver, 64, &backend, communicator);
  if (communicator.rank() != 0) {
    while (run->follow()) {
    }
    return {};
  }
  Probed probed;
  const PointLists lists = all_kinds_of_points();
  run->watch(lists.points(), 2);
  run->watch(lists.points(), 3);
  for (int part = 0; part < 3; ++part) {
    run->advance(2);
    probed.values = run->value_at(lists.points());
  }
  for (const WatchedValues& row : run->take_watched()) {
    probed.values.insert(probed.values.end(), row.values.begin(), row.values.end());
  }
  probed.integrals = run->box_integrals({0.1, 0.9, 0.2, 0.81});
  const Extremes found = run->extremes().front();
  for (const Extreme& one : {found.least, found.greatest}) {
    probed.extremes.insert(probed.extremes.end(), {one.value, one.x, one.y});
  }
  probed.hash = run->state_hash();
  return probed;
}

TEST(Probes, GivenTwoRanksOfTwoWorkersThenTheyHaveTheBitsOfOne) {
  const ScriptedCase problem = turning();
  for (const char* const solver : {kNodes, kCells}) {
    const auto backend = make_backend("serial", 1);
    const Probed alone = probed(problem, solver, *backend, single_rank());
    test::on_loopback_ranks({2, 2, 7}, [&](Backend& workers, Communicator& communicator) {
      const Probed shared = probed(problem, solver, workers, communicator);
      EXPECT_TRUE(communicator.rank() != 0 || shared == alone) << solver;
    });
  }
}

TEST(Probes, GivenARunThatIsProbedThenItHasTheBitsOfOneThatIsNot) {
  const ScriptedCase problem = turning();
  for (const char* const solver : {kNodes, kCells}) {
    const auto backend = make_backend("threads", 2);
    ProbedRun run(problem, solver, 64, backend.get());
    run->advance(6);
    EXPECT_EQ(run->state_hash(), probed(problem, solver, *backend, single_rank()).hash) << solver;
  }
}

/// Values by base step, [component][point].
using Series = std::map<int, std::vector<std::vector<double>>>;

/// Of a Zalesak's disk whose mesh follows it, by watching or by pauses.
Series series_of(const SimulationOptions& options, const std::string& solver_name, Backend& backend,
                 bool watches) {
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver(solver_name)->make({});
  Simulation simulation(*problem, *solver, backend, options);
  const PointLists lists = all_kinds_of_points();
  Series series;
  constexpr int kSteps = 11;
  if (!watches) {
    while (simulation.step() < kSteps) {
      simulation.advance(1);
      series[simulation.step()] = simulation.value_at(lists.points());
    }
    return series;
  }
  EXPECT_EQ(simulation.watch(lists.points(), 1), 0U);
  EXPECT_EQ(simulation.watch({}, 3), 1U);
  for (const int steps : {7, 4}) {
    simulation.advance(steps);
    for (const WatchedValues& row : simulation.take_watched()) {
      EXPECT_TRUE(row.set == 1 || series.emplace(row.step, row.values).second) << row.step;
      EXPECT_TRUE(row.set == 0 || row.step % 3 == 0) << row.step;
      EXPECT_NEAR(row.time, row.step * simulation.dt(), 1e-15);
    }
  }
  return series;
}

TEST(Watch, GivenAnySolverAndScheduleThenTheValuesOfEachStepAreThoseOfAPause) {
  for (const char* const solver : {kNodes, kCells, "flux_form_fct"}) {
    for (const bool subcycling : {true, false}) {
      SimulationOptions options = test::run_options(64, 3, 1280);
      options.subcycling = subcycling;
      const Series paused = series_of(options, solver, *make_backend("serial", 1), false);
      ASSERT_EQ(paused.size(), 11U);
      for (const char* const backend : {"serial", "threads"}) {
        const auto workers = make_backend(backend, backend == std::string("serial") ? 1 : 2);
        EXPECT_TRUE(series_of(options, solver, *workers, true) == paused)
            << solver << " " << backend << " " << subcycling;
      }
    }
  }
}

TEST(Watch, GivenARunThatGoesBackThenEachCommittedStepHasItsTimeAndValuesOnce) {
  const test::Gust problem;
  const auto solver = plugin::find_solver(kNodes)->make({});
  const auto backend = make_backend("threads", 2);
  PointLists lists;
  lists.add(0.4, 0.6);
  lists.add(0.77, 0.5);
  Simulation paused(problem, *solver, *backend, test::options_by_cfl(64, 2, 0.9));
  Simulation watched(problem, *solver, *backend, test::options_by_cfl(64, 2, 0.9));
  watched.watch(lists.points(), 1);
  while (!watched.is_over()) watched.advance(100);
  for (const WatchedValues& row : watched.take_watched()) {
    paused.advance(1);
    EXPECT_EQ(row.step, paused.step());
    EXPECT_EQ(row.time, paused.time());
    EXPECT_EQ(row.values, paused.value_at(lists.points()));
  }
  EXPECT_TRUE(paused.is_over());
}

TEST(AfterSteps, GivenARunThatGoesBackThenTheHookSeesEachCommittedStateOnce) {
  const test::Gust problem;
  const auto solver = plugin::find_solver(kNodes)->make({});
  const auto backend = make_backend("threads", 2);
  Simulation plain(problem, *solver, *backend, test::options_by_cfl(64, 2, 0.9));
  while (!plain.is_over()) plain.advance(100);
  Simulation watched(problem, *solver, *backend, test::options_by_cfl(64, 2, 0.9));
  std::vector<std::pair<int, double>> seen;
  watched.after_steps(3, [&](const Simulation& run) {
    ASSERT_EQ(&run, &watched);
    seen.emplace_back(run.step(), run.time());
    PointLists lists;
    lists.add(0.4, 0.6);
    EXPECT_TRUE(std::isfinite(run.value_at(lists.points())[0][0]));
  });
  while (!watched.is_over()) watched.advance(7);
  EXPECT_EQ(watched.state_hash(), plain.state_hash());
  ASSERT_EQ(static_cast<int>(seen.size()), plain.step() / 3);
  for (std::size_t at = 0; at < seen.size(); ++at) {
    EXPECT_EQ(seen[at].first, 3 * static_cast<int>(at + 1));
    EXPECT_GT(seen[at].second, at > 0 ? seen[at - 1].second : 0.0);
  }
}

}  // namespace
}  // namespace kumiko::amr
