// Contract: a run that was saved and gone on with, by whatever backend, schedule and number of
// workers, ends with the bits of one that was never interrupted; what does not fit is refused.
#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/saved_run.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::run_options;

struct Setting {
  const char* name;
  const char* problem;
  const char* solver;
  std::function<void(SimulationOptions&)> change;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

std::vector<Setting> settings() {
  return {
      {"Steady", "zalesak", "semi_lagrangian_cubic", [](SimulationOptions&) {}},
      {"Unsteady", "vortex", "semi_lagrangian_cubic", [](SimulationOptions&) {}},
      {"LinearGhosts", "vortex", "semi_lagrangian_cubic",
       [](SimulationOptions& o) { o.time_interpolation = TimeInterpolation::kLinear; }},
      {"FluxForm", "gaussian", "finite_volume_upwind3",
       [](SimulationOptions& o) { o.time_interpolation = TimeInterpolation::kQuadratic; }},
      {"OneGhostLayer", "vortex", "upwind1",
       [](SimulationOptions& o) {
         o.time_interpolation = TimeInterpolation::kLinear;
         o.steps = 768;
       }},
      {"Nonlinear", "burgers", "burgers",
       [](SimulationOptions& o) {
         o.time_interpolation = TimeInterpolation::kQuadratic;
         o.refinement.interval = 0;
         o.refinement.threshold = 0.02;
         o.steps = 128;
       }},
      {"NoSubcycling", "zalesak", "semi_lagrangian_cubic",
       [](SimulationOptions& o) {
         o.subcycling = false;
         o.steps = 960;
       }},
      {"AutomaticInterval", "vortex", "semi_lagrangian_cubic",
       [](SimulationOptions& o) { o.refinement.interval = 0; }},
      {"HysteresisAndLifetime", "zalesak", "semi_lagrangian_cubic",
       [](SimulationOptions& o) {
         o.refinement.interval = 2;
         o.refinement.hysteresis = 3;
         o.refinement.min_lifetime = 5;
       }},
      {"OneLevel", "zalesak", "semi_lagrangian_cubic", [](SimulationOptions& o) { o.levels = 1; }},
  };
}

/// With the defaults of its parameters.
template <class Factory>
auto make(const Factory& factory) {
  return factory.make(defaults(factory.parameters));
}

class SavedRunTest : public ::testing::TestWithParam<Setting> {
 protected:
  static constexpr int kSteps = 14;

  SavedRunTest()
      : problem_(make(*plugin::find_case(GetParam().problem))),
        solver_(make(*plugin::find_solver(GetParam().solver))),
        options_(run_options(64, 3, 640)) {
    GetParam().change(options_);
  }

  std::unique_ptr<Case> problem_;
  std::unique_ptr<Solver> solver_;
  SimulationOptions options_;
};
INSTANTIATE_TEST_SUITE_P(With, SavedRunTest, ::testing::ValuesIn(settings()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(SavedRunTest, GivenASaveAfterAnyStepWhenGoneOnWithElsewhereThenTheBitsAreTheSame) {
  const auto serial = make_backend("serial", 1);
  const auto threads = make_backend("threads", 3);
  Simulation whole(*problem_, *solver_, *serial, options_);
  // A sanitizer makes each run ten times as long; it needs not see every step.
  constexpr int kEvery = test::kSanitized ? 5 : 1;
  std::vector<SavedRun> saved;
  for (int step = 0; step < kSteps; ++step) {
    if (step % kEvery == 0) saved.push_back(whole.save());
    whole.advance(1);
  }
  const std::string expected = state_hash(whole.hierarchy());
  for (const SavedRun& from : saved) {
    SavedRun without_values = from;
    without_values.source = {
        from.record_size(), [&](int level, std::size_t slot, std::span<double> into) {
          std::ranges::copy(from.record(level, slot).first(into.size()), into.begin());
        }};
    for (SavedLevel& level : without_values.levels) level.values.clear();
    const bool is_read = from.step % 2 == 0;
    Simulation rest(*problem_, *solver_, *threads, options_, is_read ? without_values : from);
    EXPECT_EQ(rest.step(), from.step);
    EXPECT_EQ(rest.next_regrid(), from.next_regrid);
    rest.advance(kSteps - from.step);
    EXPECT_EQ(state_hash(rest.hierarchy()), expected) << "from base step " << from.step;
    EXPECT_EQ(rest.counters().updates_per_level, whole.counters().updates_per_level);
    EXPECT_EQ(rest.counters().regrids, whole.counters().regrids);
  }
}

TEST_P(SavedRunTest, GivenASaveThatIsRestoredWhenSavedAgainThenItIsTheSame) {
  const auto backend = make_backend("threads", 2);
  Simulation run(*problem_, *solver_, *backend, options_);
  run.advance(7);
  const SavedRun first = run.save();
  const SavedRun second = Simulation(*problem_, *solver_, *backend, options_, first).save();
  EXPECT_EQ(second.step, 7);
  EXPECT_EQ(second.next_regrid, first.next_regrid);
  EXPECT_EQ(second.next_check, first.next_check);
  EXPECT_EQ(second.scales, first.scales);
  EXPECT_EQ(second.mesh, first.mesh);
  ASSERT_EQ(second.levels.size(), first.levels.size());
  for (std::size_t level = 0; level < first.levels.size(); ++level) {
    const SavedLevel& a = first.levels[level];
    const SavedLevel& b = second.levels[level];
    EXPECT_EQ(a.cfl, b.cfl);
    EXPECT_EQ(a.travelled, b.travelled);
    EXPECT_EQ(a.values, b.values);
    for (std::size_t slot = 0; slot < a.histories.size(); ++slot) {
      EXPECT_EQ(a.histories[slot].since, b.histories[slot].since);
      EXPECT_EQ(a.histories[slot].unwanted, b.histories[slot].unwanted);
    }
  }
}

TEST_P(SavedRunTest, GivenExtrasThenNeitherTheRunNorOneThatGoesOnNoticesThem) {
  const auto backend = make_backend("threads", 2);
  Simulation whole(*problem_, *solver_, *backend, options_);
  Simulation shown(*problem_, *solver_, *backend, options_);
  whole.advance(kSteps);
  shown.advance(kSteps / 2);
  const SavedRun from = shown.save_with_extras();
  shown.advance(kSteps - kSteps / 2);
  EXPECT_EQ(state_hash(shown.hierarchy()), state_hash(whole.hierarchy()));
  Simulation rest(*problem_, *solver_, *backend, options_, from);
  rest.advance(kSteps - kSteps / 2);
  EXPECT_EQ(state_hash(rest.hierarchy()), state_hash(whole.hierarchy()));
}

TEST_P(SavedRunTest, GivenExtrasThenTheCostsOfPatchesAreWhatTheWorkersWereBusyWith) {
  constexpr int kWorkers = 3;
  const auto backend = make_backend("threads", kWorkers);
  Simulation run(*problem_, *solver_, *backend, options_);
  run.advance(3);
  const SavedRun saved = run.save_with_extras();
  double cost = 0.0;
  ASSERT_EQ(saved.components(), 5);
  for (int level = 0; level < saved.mesh.levels(); ++level) {
    for (std::size_t slot = 0; slot < saved.mesh.size(level); ++slot) {
      const auto figure = [&](std::size_t number) {
        return saved.values(level, slot, number + 1).front();
      };
      EXPECT_EQ(figure(0), level);
      EXPECT_TRUE(figure(1) >= 0.0 && figure(1) < kWorkers) << figure(1);
      EXPECT_GT(figure(2), 0.0);
      cost += figure(2);
    }
  }
  double busy = 0.0;
  for (const WorkerLoad& load : run.recent_steps().back().workers) busy += load.busy_s;
  EXPECT_NEAR(cost, busy, 1e-9 * busy);
}

TEST(FiguresTest, GivenNoStepYetThenNobodyHasWorkedOnAPatch) {
  const FunctionCase problem;
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("serial", 1);
  const SavedRun saved =
      Simulation(problem, *solver, *backend, run_options(64, 1, 100)).save_with_extras();
  EXPECT_EQ(saved.levels[0].values[2 * kPatchPoints], -1.0);
  EXPECT_EQ(saved.levels[0].values[3 * kPatchPoints], 0.0);
}

/// A two-level run to be spoilt.
class SpoiltRunTest : public ::testing::Test {
 protected:
  SavedRun after_two_steps() {
    problem_.u = [](double x, double y) { return std::hypot(x - 0.5, y - 0.5) < 0.2 ? 1.0 : 0.0; };
    Simulation run(problem_, *solver_, *backend_, options_);
    run.advance(2);
    return run.save();
  }

  /// What the attempt to go on says.
  std::string refusal() {
    try {
      Simulation run(problem_, *solver_, *backend_, options_, saved_);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  }

  FunctionCase problem_;
  std::unique_ptr<Solver> solver_ = test::cubic_solver();
  std::unique_ptr<Backend> backend_ = make_backend("serial", 1);
  SimulationOptions options_ = run_options(64, 2, 100);
  SavedRun saved_ = after_two_steps();
};

TEST_F(SpoiltRunTest, GivenAWholeOneThenItIsTaken) {
  ASSERT_EQ(saved_.levels.size(), 2U);
  EXPECT_EQ(refusal(), "none");
}

TEST_F(SpoiltRunTest, GivenAStepBeyondTheEndThenRefused) {
  saved_.step = 101;
  EXPECT_EQ(refusal(), "the saved run stands at base step 101 of 100");
}

TEST_F(SpoiltRunTest, GivenARegridInThePastThenRefused) {
  saved_.next_regrid = 1;
  EXPECT_EQ(refusal(), "the saved run stands at base step 2 with its next regrid at 1");
}

TEST_F(SpoiltRunTest, GivenMoreLevelsThanAskedForThenRefused) {
  options_.levels = 1;
  EXPECT_EQ(
      refusal(),
      "the saved run has 2 levels with patches, and `levels` is 1; set it to as many or more");
}

TEST_F(SpoiltRunTest, GivenAnotherGridThenRefused) {
  options_ = run_options(128, 2, 200);
  EXPECT_EQ(refusal(), "the saved run has 4 x 4 patches on level 0; the grid has 8 x 8");
}

TEST_F(SpoiltRunTest, GivenAGridOfAsManyPatchesInAnotherOrderThenRefused) {
  saved_.mesh = Mesh<2>({{8, 2}, {2.0, 0.5}, {}});
  EXPECT_EQ(refusal(), "the saved run has 8 x 2 patches on level 0; the grid has 4 x 4");
}

TEST_F(SpoiltRunTest, GivenALevelWithoutValuesThenRefused) {
  saved_.levels.pop_back();
  EXPECT_EQ(refusal(), "the saved run has values on 1 levels, and patches on 2");
}

TEST_F(SpoiltRunTest, GivenValuesThatAreMissingThenRefused) {
  saved_.levels[0].values.pop_back();
  EXPECT_NE(
      refusal().find(
          "has 16 patches on level 0, but 16 histories, 16 CFL numbers, 16 distances and 4095"),
      std::string::npos)
      << refusal();
}

TEST_F(SpoiltRunTest, GivenExtrasThatNobodyKnowsThenRefused) {
  saved_.extras = 3;
  EXPECT_EQ(refusal(), "the saved run has 3 extras in each record; 4 are known");
}

TEST_F(SpoiltRunTest, GivenAPatchWithoutItsParentsNeighboursThenRefused) {
  options_.levels = 3;
  saved_.mesh.assign(2, {{2, 0, 0}});
  SavedLevel finest;
  finest.histories.resize(1);
  finest.cfl.resize(1);
  finest.travelled.resize(1);
  finest.values.resize(kPatchPoints);
  saved_.levels.push_back(finest);
  EXPECT_EQ(refusal(), "the saved run has patch (0, 0) of level 2 without all it needs on level 1");
}

}  // namespace
}  // namespace kumiko::amr
