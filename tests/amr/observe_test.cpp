// Contract: a case that asks for it is shown the initial state and that after every n base steps,
// each once, whatever is refused and taken again, however advance() is called and on however many
// ranks; no bit depends on it, and what it throws ends the run.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "loopback_ranks.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::run_options;
using ::testing::HasSubstr;

/// Shows its states to the test.
class Watched final : public test::Gust {
 public:
  explicit Watched(int every) : every_(every) {}
  int observe_every() const override { return every_; }
  void observe(const Observation& shown) const override {
    if (shown.step == fails_at && shown.rank == shown.ranks - 1) {
      throw std::runtime_error("the probe is broken");
    }
    const std::lock_guard lock(mutex_);
    Seen& seen = seen_[shown.step];
    ++seen.calls;
    seen.time = shown.time;
    seen.dt = shown.dt;
    seen.ranks = shown.ranks;
    for (const ObservedPatch& patch : shown.patches) {
      seen.patches.push_back(patch.id);
      seen.largest = std::max(seen.largest, patch.state.interior().maxCoeff());
      for (int quadrant = 0; quadrant < 4; ++quadrant) {
        if (patch.covered[static_cast<std::size_t>(quadrant)]) ++seen.covered;
      }
      if (shown.step > 0) continue;
      // Where the points lie is told by the initial values.
      const auto [i, j] = std::array{3, 11};
      EXPECT_NEAR(patch.state(i, j), u(patch.x + i * patch.spacing, patch.y + j * patch.spacing),
                  1e-13);
    }
  }

  struct Seen {
    int calls = 0;
    double time = 0.0;
    double dt = 0.0;
    int ranks = 0;
    std::vector<PatchId> patches;
    double largest = 0.0;
    int covered = 0;
  };
  const std::map<int, Seen>& seen() const { return seen_; }
  int fails_at = -1;

 private:
  int every_;
  mutable std::mutex mutex_;
  mutable std::map<int, Seen> seen_;
};

SimulationOptions squall() { return test::options_by_cfl(48, 2, 1.0); }

TEST(Observe, GivenACaseThatAsksForItThenItSeesEveryNthStateOnceAndNoBitChanges) {
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("threads", 3);
  const Watched none(0);
  Simulation alone(none, *solver, *backend, squall());
  std::map<int, std::pair<double, double>> expected;  // largest value and time, by step
  expected[0] = {alone.field_figures().maximum, 0.0};
  while (!alone.is_over()) {
    alone.advance(1);
    expected[alone.step()] = {alone.field_figures().maximum, alone.time()};
  }
  EXPECT_TRUE(none.seen().empty());
  for (const int at_once : {1, 5, 1000}) {
    const Watched watched(3);
    Simulation run(watched, *solver, *backend, squall());
    while (!run.is_over()) run.advance(at_once);
    EXPECT_EQ(run.state_hash(), alone.state_hash());
    ASSERT_EQ(static_cast<int>(watched.seen().size()), run.step() / 3 + 1);
    for (const auto& [step, seen] : watched.seen()) {
      EXPECT_EQ(step % 3, 0);
      EXPECT_EQ(seen.calls, 1) << step;
      EXPECT_EQ(seen.largest, expected.at(step).first) << step;
      EXPECT_EQ(seen.time, expected.at(step).second) << step;
      if (step > 0) {
        EXPECT_NEAR(seen.dt, seen.time - expected.at(step - 1).second, 1e-15);
      }
      EXPECT_TRUE(std::is_sorted(seen.patches.begin(), seen.patches.end()));
      const auto fine = std::ranges::count(seen.patches, 1, &PatchId::level);
      EXPECT_EQ(seen.covered, fine) << "each finer patch covers a quadrant";
      EXPECT_GT(fine, 0);
    }
  }
}

TEST(Observe, GivenSeveralOwnersThenEachShowsItsPatchesAndARestartShowsWhatItComputes) {
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("serial", 1);
  const Watched alone(4);
  Simulation one(alone, *solver, *backend, squall());
  one.advance(8);
  const SavedRun saved = one.save();
  one.advance(20);
  const Watched again(4);
  Simulation restarted(again, *solver, *backend, squall(), saved);
  restarted.advance(20);
  EXPECT_EQ(again.seen().begin()->first, 12) << "what is after the saved state";
  const Watched shared(4);
  test::on_loopback_ranks({.ranks = 3, .seed = 11}, [&](Backend& own, Communicator& communicator) {
    Simulation run(shared, *solver, own, squall(), communicator);
    if (communicator.rank() == 0) return run.advance(28);
    while (run.follow()) {
    }
  });
  ASSERT_EQ(shared.seen().size(), alone.seen().size());
  for (const auto& [step, seen] : shared.seen()) {
    const Watched::Seen& expected = alone.seen().at(step);
    EXPECT_EQ(seen.calls, 3);
    EXPECT_EQ(seen.ranks, 3);
    std::vector<PatchId> patches = seen.patches;
    std::sort(patches.begin(), patches.end());
    EXPECT_EQ(patches, expected.patches);
    EXPECT_EQ(seen.largest, expected.largest);
  }
}

TEST(Observe, GivenACaseThatThrowsThereThenAllOwnersEndWithItsWords) {
  const auto solver = test::cubic_solver();
  Watched broken(4);
  broken.fails_at = 8;
  test::on_loopback_ranks({.ranks = 3, .seed = 2}, [&](Backend& own, Communicator& communicator) {
    Simulation run(broken, *solver, own, squall(), communicator);
    try {
      if (communicator.rank() == 0) run.advance(28);
      while (communicator.rank() != 0 && run.follow()) {
      }
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the probe is broken (in observe(), after base step 8"));
      EXPECT_FALSE(run.is_whole()) << "a restart is to show it again";
    }
  });
}

}  // namespace
}  // namespace kumiko::amr
