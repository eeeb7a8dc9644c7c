// Contract: a patch comes where it is wanted or forced, stays while it is wanted or held, and every
// promise about staying is kept on every level without ever breaking proper nesting.
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"
#include "refinement/regions.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::run_options;
using test::scripted_options;
using test::ScriptedCase;

bool near_centre(double x, double y, double radius) {
  return std::hypot(x - 0.5, y - 0.5) < radius;
}

/// A run of a scripted case that tells how many patches levels have after each regrid.
class ScriptedRun {
 public:
  ScriptedRun(const ScriptedCase& problem, const SimulationOptions& options)
      : solver_(cubic_solver()),
        backend_(make_backend("serial", 1)),
        run_(problem, *solver_, *backend_, options) {}

  /// The mesh that the regrid before a base step made.
  const Hierarchy& mesh_at(int step) {
    run_.advance(step + 1 - run_.step());
    EXPECT_TRUE(run_.hierarchy().mesh().unnested().empty()) << "step " << step;
    return run_.hierarchy();
  }
  std::size_t patches_at(int step, int level) { return mesh_at(step).level(level).size(); }
  const Hierarchy& mesh() const { return run_.hierarchy(); }
  RegridHistory history(std::size_t level, std::size_t slot) const {
    return run_.save().levels[level].histories[slot];
  }

 private:
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Backend> backend_;
  Simulation run_;
};

/// Indicator 1 near the centre up to step 4, then 0.5 up to step 8, then 0.2, from step 16 on 0.5.
ScriptedCase fading() {
  ScriptedCase problem;
  problem.indicator = [](int, int step, double x, double y) {
    if (!near_centre(x, y, 0.1)) return 0.0;
    if (step <= 4) return 1.0;
    return step <= 8 || step >= 16 ? 0.5 : 0.2;
  };
  return problem;
}

TEST(Derefinement, GivenALowerThresholdThenPatchesStayAboveItAndDoNotComeThere) {
  const ScriptedCase problem = fading();
  SimulationOptions options = scripted_options(3);
  options.refinement.derefine_threshold = 0.4;
  ScriptedRun run(problem, options);
  const std::size_t whole = run.mesh().level(2).size();
  ASSERT_GT(whole, 0U);
  EXPECT_EQ(run.patches_at(4, 2), whole);
  EXPECT_EQ(run.patches_at(8, 2), whole) << "0.5 is above the derefine threshold";
  EXPECT_EQ(run.patches_at(12, 1), 0U) << "0.2 is not";
  EXPECT_EQ(run.patches_at(20, 1), 0U) << "0.5 is not a reason to come";
}

TEST(Derefinement, GivenNoThresholdOfItsOwnThenPatchesGoBelowTheOneThatMadeThem) {
  const ScriptedCase problem = fading();
  ScriptedRun run(problem, scripted_options(3));
  EXPECT_GT(run.patches_at(4, 2), 0U);
  EXPECT_EQ(run.patches_at(8, 1), 0U);
}

TEST(Hysteresis, GivenNThenAPatchGoesAtTheRegridAfterNAtWhichItWasUnwantedInARow) {
  ScriptedCase problem;
  // Wanted at the regrids at steps 0, 4 and 12.
  problem.indicator = [](int, int step, double x, double y) {
    return (step <= 4 || step == 12) && near_centre(x, y, 0.1) ? 1.0 : 0.0;
  };
  SimulationOptions options = scripted_options(3);
  options.refinement.hysteresis = 2;
  ScriptedRun run(problem, options);
  const std::size_t whole = run.mesh().level(2).size();
  for (const int step : {4, 8, 12, 16, 20}) EXPECT_EQ(run.patches_at(step, 2), whole) << step;
  EXPECT_EQ(run.history(2, 0).unwanted, 2);
  EXPECT_EQ(run.patches_at(24, 2), 0U);
  EXPECT_EQ(run.patches_at(24, 1), 0U);
}

TEST(Lifetime, GivenALeastOneThenAPatchStaysUntilItIsThatOld) {
  ScriptedCase problem;
  problem.indicator = [](int, int step, double x, double y) {
    return step == 4 && near_centre(x, y, 0.1) ? 1.0 : 0.0;
  };
  SimulationOptions options = scripted_options(2);
  options.refinement.min_lifetime = 9;
  ScriptedRun run(problem, options);
  EXPECT_EQ(run.mesh().level(1).size(), 0U);
  const std::size_t whole = run.patches_at(4, 1);
  EXPECT_GT(whole, 0U);
  EXPECT_EQ(run.history(1, 0).since, 4);
  EXPECT_EQ(run.patches_at(8, 1), whole);
  EXPECT_EQ(run.patches_at(12, 1), whole) << "8 base steps old";
  EXPECT_EQ(run.patches_at(16, 1), 0U);
}

TEST(Lifetime, GivenAFinePatchThatStaysThenItsSupportStaysAndTheRestOfThatLevelGoes) {
  ScriptedCase problem;
  // Level 1 is wanted at steps 0 and 4, level 2 at step 4, in a smaller place.
  problem.indicator = [](int level, int step, double x, double y) {
    if (level == 0) return step <= 4 && near_centre(x, y, 0.3) ? 1.0 : 0.0;
    return step == 4 && near_centre(x, y, 0.05) ? 1.0 : 0.0;
  };
  SimulationOptions options = scripted_options(3);
  options.refinement.min_lifetime = 8;
  ScriptedRun run(problem, options);
  const std::size_t coarse = run.mesh().level(1).size();
  const std::size_t fine = run.patches_at(4, 2);
  ASSERT_GT(fine, 0U);
  EXPECT_EQ(run.patches_at(8, 2), fine) << "4 base steps old";
  std::vector<PatchId> support;
  std::vector<PatchId> there;
  for (std::size_t slot = 0; slot < fine; ++slot)
    there.push_back(run.mesh().level(2).patch(slot).id());
  add_support(run.mesh().geometry().base_grid(), there, support);
  sort_unique(support);
  EXPECT_EQ(run.mesh().level(1).size(), support.size());
  EXPECT_LT(support.size(), coarse);
  EXPECT_EQ(run.patches_at(12, 1), 0U);
}

/// A number in [0, 1) that looks random, for a place and a base step.
double noise(int a, int b, int c, int d) {
  auto h = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15ULL +
           static_cast<std::uint64_t>(b) * 0xC2B2AE3D27D4EB4FULL +
           static_cast<std::uint64_t>(c) * 0x165667B19E3779F9ULL + static_cast<std::uint64_t>(d);
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ULL;
  h ^= h >> 32;
  return static_cast<double>(h >> 11) * 0x1p-53;
}

/// Blobs that come and go everywhere, on every level.
ScriptedCase boiling() {
  ScriptedCase problem;
  problem.indicator = [](int level, int step, double x, double y) {
    return noise(static_cast<int>(x * 12.0), static_cast<int>(y * 12.0), level, step / 4);
  };
  return problem;
}

SimulationOptions boiling_options() {
  SimulationOptions options = scripted_options(5);
  options.points_x = options.points_y = 32;
  options.refinement.threshold = 0.9;
  options.refinement.derefine_threshold = 0.7;
  options.refinement.hysteresis = 1;
  options.refinement.min_lifetime = 6;
  options.refinement.regions = {{0.2, 0.6, 0.3, 0.7, 2}, {0.7, 0.8, 0.1, 0.9, 4, 3}};
  return options;
}

TEST(Regrid, GivenBlobsThatComeAndGoThenEveryMeshNestsAndNoPatchGoesBeforeItsTime) {
  const ScriptedCase problem = boiling();
  ScriptedRun run(problem, boiling_options());
  std::map<PatchId, int> came;
  std::size_t gone = 0;
  std::size_t finest = 0;
  for (int step = 0; step < 64; step += 4) {
    const Hierarchy& mesh = run.mesh_at(step);
    std::map<PatchId, int> now;
    for (int index = 1; index < 5; ++index) {
      for (std::size_t slot = 0; slot < mesh.level(index).size(); ++slot) {
        const PatchId id = mesh.level(index).patch(slot).id();
        const auto before = came.find(id);
        now.emplace(id, before == came.end() ? step : before->second);
      }
    }
    for (const auto& [id, since] : came) {
      if (now.contains(id)) continue;
      ++gone;
      // At one regrid before, the patch was unwanted but held: it came two regrids ago or earlier.
      ASSERT_GE(step - since, 8) << to_string(id) << " at step " << step;
    }
    finest = std::max(finest, mesh.level(4).size());
    came = std::move(now);
  }
  EXPECT_GT(gone, 100U);
  EXPECT_GT(finest, 10U);
}

TEST(Regrid, GivenTagsNextToACoarseEdgeThenWhatDoesNotNestIsCounted) {
  ScriptedCase problem;
  // One point each: a patch of level 1, and the patches of level 2 above it, which lack neighbours.
  problem.indicator = [](int, int, double x, double y) {
    return std::abs(x - 0.4) < 0.01 && std::abs(y - 0.4) < 0.01 ? 1.0 : 0.0;
  };
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = scripted_options(3);
  options.refinement.buffer = 0;
  const Simulation run(problem, *solver, *backend, options);
  EXPECT_EQ(run.hierarchy().level(1).size(), 1U);
  EXPECT_EQ(run.hierarchy().level(2).size(), 0U);
  EXPECT_EQ(run.unnested_patches(), 1U);
  options.refinement.buffer = 8;
  const Simulation wider(problem, *solver, *backend, options);
  EXPECT_GT(wider.hierarchy().level(2).size(), 0U);
}

TEST(Regrid, GivenEveryOptionThenTheStateIsTheSameForAnyBackend) {
  const ScriptedCase still = boiling();
  ScriptedCase problem = still;
  problem.u = [](double x, double y) { return std::sin(7.0 * x) * std::cos(5.0 * y); };
  problem.vx = [](double, double y) { return 0.3 + 0.2 * y; };
  problem.vy = [](double x, double) { return 0.2 - 0.3 * x; };
  const auto solver = cubic_solver();
  std::vector<std::string> hashes;
  for (const auto& [name, workers] :
       {std::pair{"serial", 1}, std::pair{"threads", 3}, std::pair{"pthread", 2}}) {
    const auto backend = make_backend(name, workers);
    Simulation run(problem, *solver, *backend, boiling_options());
    run.advance(17);
    hashes.push_back(state_hash(run.hierarchy()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Regrid, GivenADerefineThresholdEqualToTheOtherThenTheStateIsThatOfNone) {
  const auto problem = test::zalesak();
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 3, 640);
  std::vector<std::string> hashes;
  for (const double threshold : {0.0, options.refinement.threshold}) {
    options.refinement.derefine_threshold = threshold;
    Simulation run(*problem, *solver, *backend, options);
    run.advance(13);
    hashes.push_back(state_hash(run.hierarchy()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

/// Calls visit(level, x, y) for each point of the patches above level 0.
template <class Visit>
void for_each_fine_point(const Hierarchy& mesh, Visit visit) {
  for (int index = 1; index < mesh.max_levels(); ++index) {
    for (std::size_t slot = 0; slot < mesh.level(index).size(); ++slot) {
      const PatchId id = mesh.level(index).patch(slot).id();
      for (int at = 0; at < kPatchPoints; ++at) {
        visit(index, mesh.geometry().coordinate(index, id.i * kPatchSize + at % kPatchSize),
              mesh.geometry().coordinate(index, id.j * kPatchSize + at / kPatchSize));
      }
    }
  }
}

/// Wants every level everywhere.
ScriptedCase greedy() {
  ScriptedCase problem;
  problem.indicator = [](int, int, double, double) { return 1.0; };
  return problem;
}

bool within(const RefinementRegion& box, double x, double y) {
  return x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1;
}

TEST(Region, GivenALargestLevelThenNoPointOfTheBoxIsFinerAndPointsOutsideAre) {
  const ScriptedCase problem = greedy();
  SimulationOptions options = scripted_options(3);
  const RefinementRegion box{0.3, 0.61, 0.2, 0.77, 1};
  options.refinement.regions = {box};
  const ScriptedRun run(problem, options);
  std::size_t outside = 0;
  for_each_fine_point(run.mesh(), [&](int level, double x, double y) {
    if (level < 2) return;
    ASSERT_FALSE(within(box, x, y)) << x << " " << y;
    ++outside;
  });
  EXPECT_GT(outside, 256U * 256U / 4U) << "of level 2";
  EXPECT_EQ(run.mesh().level(1).size(), 64U) << "level 1 may be everywhere";
}

TEST(Region, GivenAPointInSeveralBoxesThenTheFinestLargestLevelCounts) {
  const ScriptedCase problem = greedy();
  SimulationOptions options = scripted_options(3);
  const RefinementRegion inner{0.25, 0.75, 0.25, 0.75, 2};
  options.refinement.regions = {{0.0, 1.0, 0.0, 1.0, 0}, inner};
  const ScriptedRun run(problem, options);
  for_each_fine_point(run.mesh(),
                      [&](int, double x, double y) { ASSERT_TRUE(within(inner, x, y)); });
  // Patches that lie in the box as a whole: 3 × 3 of level 1, whose nesting leaves 4 × 4 of
  // level 2.
  EXPECT_EQ(run.mesh().level(1).size(), 16U);
  EXPECT_EQ(run.mesh().level(2).size(), 36U);
}

TEST(Region, GivenALeastLevelThenEveryPointOfTheBoxIsCoveredAndTheMeshNests) {
  const ScriptedCase problem;
  SimulationOptions options = scripted_options(5);
  // At a corner of the domain, which is periodic.
  const RefinementRegion box{0.0, 0.11, 0.93, 1.0, 4, 4};
  options.refinement.regions = {box};
  ScriptedRun run(problem, options);
  for (const int step : {0, 4}) {
    const Hierarchy& mesh = run.mesh_at(step);
    const int points = mesh.geometry().points_x(4);
    for (int j = 0; j < points; ++j) {
      for (int i = 0; i < points; ++i) {
        const bool covered = mesh.mesh().find({4, i / kPatchSize, j / kPatchSize}) >= 0;
        const bool inside =
            within(box, mesh.geometry().coordinate(4, i), mesh.geometry().coordinate(4, j));
        ASSERT_TRUE(covered || !inside) << i << " " << j;
      }
    }
    EXPECT_EQ(mesh.level(4).size(), 8U * 5U) << "and nothing more";
  }
}

TEST(Region, GivenALeastLevelBesideABoxThatForbidsItThenItsSupportGoesBeforeTheBox) {
  const ScriptedCase problem;
  SimulationOptions options = scripted_options(3);
  options.refinement.regions = {{0.5, 0.6, 0.5, 0.6, 2, 2}, {0.0, 0.49, 0.0, 1.0, 0}};
  ScriptedRun run(problem, options);
  const Hierarchy& mesh = run.mesh_at(0);
  EXPECT_GE(mesh.mesh().find({2, 8, 8}), 0);
  EXPECT_GE(mesh.mesh().find({1, 3, 4}), 0) << "the left neighbour's parent, within the box";
}

}  // namespace
}  // namespace kumiko::amr
