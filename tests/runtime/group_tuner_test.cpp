// Contract: a tuner leaves each of its groups on where a turn of its threads takes less time so,
// and off otherwise, whatever the other groups gain; a trial that is not over changes nothing.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <kumiko/runtime/group.hpp>
#include <kumiko/runtime/group_tuner.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "core/tuning_trial.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using detail::TuningTrial;
using std::chrono::milliseconds;

TEST(TuningTrialTest, GivenPairsThenTheirMedianDecides) {
  TuningTrial trial(3);
  trial.add({.turns = 100, .ticks = 500}, {.turns = 100, .ticks = 1000});
  EXPECT_FALSE(trial.is_over());
  trial.add({.turns = 50, .ticks = 300}, {.turns = 100, .ticks = 1000});
  trial.add({.turns = 100, .ticks = 90'000}, {.turns = 100, .ticks = 1000});
  EXPECT_TRUE(trial.is_over());
  EXPECT_TRUE(trial.gains()) << "0.5, 0.6 and a disturbed one";
}

TEST(TuningTrialTest, GivenLessThanThreePercentThenItDoesNotGain) {
  TuningTrial less(1);
  less.add({.turns = 100, .ticks = 980}, {.turns = 100, .ticks = 1000});
  EXPECT_FALSE(less.gains());
  TuningTrial more(1);
  more.add({.turns = 100, .ticks = 960}, {.turns = 100, .ticks = 1000});
  EXPECT_TRUE(more.gains());
}

/// Computes for about so long, on an idle machine.
void compute(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

/// Threads of two groups, whose turns take ten times as long while the group is on, or off.
class GroupTunerTest : public testing::Test {
 protected:
  /// Takes turns until `ends` says so, from within the Runtime.
  template <class Ends>
  void take_turns(Ends ends) {
    runtime_.run([&] {
      std::atomic<bool> is_over{false};
      TaskGroup all;
      for (int thread = 0; thread < 4; ++thread) {
        all.run(gains_, [&] { turns(gains_, true, is_over); });
        all.run(loses_, [&] { turns(loses_, false, is_over); });
      }
      while (!ends()) this_thread::sleep_for(milliseconds(1));
      is_over = true;
      all.wait();
    });
  }

  void turns(const Group& group, bool fast_when_on, const std::atomic<bool>& is_over) const {
    while (!is_over) {
      const bool is_fast = (group.is_on() == fast_when_on) != has_changed_;
      compute(std::chrono::microseconds(is_fast ? 5 : 50));
      this_thread::yield();
    }
  }

  std::atomic<bool> has_changed_{false};  ///< what was slow is fast
  Runtime runtime_{{.workers = 1}};
  // Short rows, so that both groups get their turns in every epoch.
  Group gains_{runtime_, {.name = "gains", .limit = 4, .on = false}};
  Group loses_{runtime_, {.name = "loses", .limit = 4, .on = true}};
};

TEST_F(GroupTunerTest, GivenAGroupThatGainsAndOneThatLosesWhenTriedThenOneIsOnAndTheOtherOff) {
  const GroupTuner tuner({&gains_, &loses_},
                         {.epoch = milliseconds(10), .pairs = 9, .rest = milliseconds(1'000'000)});
  take_turns([&] { return tuner.trials() > 0; });
  EXPECT_TRUE(gains_.is_on());
  EXPECT_FALSE(loses_.is_on());
}

TEST_F(GroupTunerTest, GivenAProgramThatChangesWhenTriedAgainThenTheGroupFollows) {
  {
    const GroupTuner tuner({&gains_},
                           {.epoch = milliseconds(10), .pairs = 9, .rest = milliseconds(0)});
    take_turns([&] { return tuner.trials() > 0; });
    has_changed_ = true;
    // The trial that saw the change may have seen too little of it.
    const int before = tuner.trials();
    take_turns([&] { return tuner.trials() >= before + 2; });
  }
  EXPECT_FALSE(gains_.is_on()) << "a trial that is not over leaves what won last";
}

TEST_F(GroupTunerTest, GivenATunerThatEndsWithinATrialThenGroupsAreAsTheyWere) {
  {
    const GroupTuner tuner({&gains_, &loses_}, {.epoch = milliseconds(1), .pairs = 1000});
    int waits = 0;
    take_turns([&] { return ++waits > 20; });
    EXPECT_EQ(tuner.trials(), 0);
  }
  EXPECT_FALSE(gains_.is_on());
  EXPECT_TRUE(loses_.is_on());
}

TEST_F(GroupTunerTest, GivenGroupsWithoutTurnsThenTheyStayAsTheyWere) {
  const GroupTuner tuner({&gains_, &loses_},
                         {.epoch = milliseconds(1), .rest = milliseconds(1'000'000)});
  while (tuner.trials() == 0) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_FALSE(gains_.is_on());
  EXPECT_TRUE(loses_.is_on());
}

TEST_F(GroupTunerTest, GivenARestBeyondTheClocksRangeThenItIsTriedOnce) {
  const GroupTuner tuner({&gains_},
                         {.epoch = milliseconds(1), .pairs = 1, .rest = milliseconds::max()});
  take_turns([&] { return tuner.trials() > 0; });
  int waits = 0;
  take_turns([&] { return ++waits > 20; });
  EXPECT_EQ(tuner.trials(), 1);
}

TEST_F(GroupTunerTest, GivenNonsenseThenInvalidArgument) {
  EXPECT_THROW(GroupTuner({&gains_}, {.epoch = milliseconds(0)}), std::invalid_argument);
  EXPECT_THROW(GroupTuner({&gains_}, {.pairs = 0}), std::invalid_argument);
  EXPECT_THROW(GroupTuner({&gains_}, {.rest = milliseconds(-1)}), std::invalid_argument);
  EXPECT_THROW(GroupTuner({nullptr}), std::invalid_argument);
  EXPECT_THROW(GroupTuner({&gains_, &loses_, &gains_}), std::invalid_argument);
  const Group moved = std::move(gains_);
  EXPECT_THROW(GroupTuner({&gains_}), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::runtime::test
