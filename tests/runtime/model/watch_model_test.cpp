// Contract: somebody watches whenever a worker sleeps and a thread waits for an event, and the
// timer does not rest while it is needed; and each barrier is there for a reason.
//
// The code is runtime/src/core/watch.hpp. A worker that finds work stays busy for ever.
#include "watch_model.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::runtime::model {
namespace {

using enum Order;

struct Ingredients {
  IdleIngredients idle{};
  WatchIngredients watch{};
};

/// Threads that share Idle's and Watch's code.
struct Together {
  Together(Setting setting, const Ingredients& with, const std::vector<std::string>& names,
           const std::vector<At>& workers, bool is_watched, int waits)
      : machine(setting.machine),
        model(names),
        barrier(model, setting.help),
        idle(model, barrier, with.idle, workers),
        watch(model, barrier, with.watch, idle, is_watched, waits) {}

  Verdict explored(const Property& property) const {
    const Verdict verdict = explore(model, machine, property);
    EXPECT_TRUE(!verdict.holds || verdict.cuts == 0) << verdict;
    return verdict;
  }
  /// All have ended, so that the worker watches and the timer is awake.
  Verdict all_end() const {
    return explored([this](const End& end) {
      for (std::size_t i = 0; i < model.threads().size(); ++i) {
        if (!end.finished(static_cast<int>(i))) return false;
      }
      return true;
    });
  }

  Machine machine;
  Model model;
  BarrierModel barrier;
  IdleModel<> idle;
  WatchModel watch;
};

// --- The watcher ---------------------------------------------------------------------------------

Verdict one_lies_down_as_a_wait_begins(Setting setting, const Ingredients& with) {
  Together all(setting, with, {"waiting", "worker"}, {At::kSearching}, false, 0);
  all.watch.begin_wait(all.model.thread(0));
  all.watch.search_until_watching(all.model.thread(1), 0, At::kSearching);
  return all.all_end();
}

Verdict one_sleeps_as_a_wait_begins(Setting setting, const Ingredients& with) {
  Together all(setting, with, {"waiting", "worker"}, {At::kAsleep}, false, 0);
  all.watch.begin_wait(all.model.thread(0));
  all.watch.search_until_watching(all.model.thread(1), 0, At::kAsleep);
  return all.all_end();
}

/// The watcher finds work; a thread waits still.
Verdict a_watcher_goes_beside(At other, Setting setting, const Ingredients& with) {
  Together all(setting, with, {"watcher", "worker"}, {At::kAsleep, other}, true, 1);
  all.watch.stop_watching(all.model.thread(0), 0);
  all.idle.end_search(all.model.thread(0));
  all.watch.search_until_watching(all.model.thread(1), 1, other);
  return all.all_end();
}

/// The watcher finds nothing and lies down again, as a wait begins.
Verdict a_watcher_lies_down_again_as_a_wait_begins(Setting setting, const Ingredients& with) {
  Together all(setting, with, {"waiting", "watcher"}, {At::kAsleep}, true, 0);
  all.watch.begin_wait(all.model.thread(0));
  all.watch.stop_watching(all.model.thread(1), 0);
  all.watch.search_until_watching(all.model.thread(1), 0, At::kSearching);
  return all.all_end();
}

// --- The timer -----------------------------------------------------------------------------------

Verdict the_timer_rests_as_a_wait_begins(Setting setting, const Ingredients& with) {
  Together all(setting, with, {"waiting", "timer"}, {At::kBusy}, false, 0);
  all.watch.begin_wait(all.model.thread(0));
  all.watch.keep_time(all.model.thread(1));
  return all.all_end();
}

Verdict the_timer_rests_as_the_watcher_goes(Setting setting, const Ingredients& with) {
  Together all(setting, with, {"watcher", "timer"}, {At::kAsleep}, true, 1);
  all.watch.stop_watching(all.model.thread(0), 0);
  all.watch.keep_time(all.model.thread(1));
  return all.all_end();
}

Verdict the_timer_rests_as_a_worker_computes(Setting setting, const Ingredients& with) {
  Together all(setting, with, {"worker", "timer"}, {At::kAsleep}, true, 1);
  all.watch.leave_to_timer(all.model.thread(0));
  all.watch.keep_time(all.model.thread(1));
  return all.all_end();
}

Verdict the_timer_rests_as_a_wait_begins_and_the_watcher_goes(Setting setting,
                                                              const Ingredients& with) {
  Together all(setting, with, {"waiting", "watcher", "timer"}, {At::kAsleep}, true, 0);
  all.watch.begin_wait(all.model.thread(0));
  all.watch.stop_watching(all.model.thread(1), 0);
  all.watch.keep_time(all.model.thread(2));
  return all.all_end();
}

using Scenario = Verdict (*)(Setting, const Ingredients&);

Verdict a_watcher_goes_beside_a_searcher(Setting setting, const Ingredients& with) {
  return a_watcher_goes_beside(At::kSearching, setting, with);
}
Verdict a_watcher_goes_beside_a_sleeper(Setting setting, const Ingredients& with) {
  return a_watcher_goes_beside(At::kAsleep, setting, with);
}

const std::vector<Scenario> kOfTheWatcher{
    one_lies_down_as_a_wait_begins, one_sleeps_as_a_wait_begins, a_watcher_goes_beside_a_searcher,
    a_watcher_goes_beside_a_sleeper, a_watcher_lies_down_again_as_a_wait_begins};
const std::vector<Scenario> kOfTheTimer{
    the_timer_rests_as_a_wait_begins, the_timer_rests_as_the_watcher_goes,
    the_timer_rests_as_a_worker_computes, the_timer_rests_as_a_wait_begins_and_the_watcher_goes};

class WatchModelTest : public testing::TestWithParam<Setting> {
 protected:
  void expect_all(const std::vector<Scenario>& scenarios, const Ingredients& with = {}) const {
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
      const Verdict verdict = scenarios[i](GetParam(), with);
      EXPECT_TRUE(verdict.holds) << "scenario " << i << "\n" << verdict;
    }
  }
  bool holds(Scenario scenario, const Ingredients& with) const {
    return scenario(GetParam(), with).holds;
  }
};
INSTANTIATE_TEST_SUITE_P(On, WatchModelTest, kSettings, setting_name);

TEST_P(WatchModelTest, GivenTheCodeThenSomebodyWatchesWhereAThreadWaitsAndAWorkerSleeps) {
  expect_all(kOfTheWatcher);
}
TEST_P(WatchModelTest, GivenTheCodeThenTheTimerDoesNotRestWhileItIsNeeded) {
  expect_all(kOfTheTimer);
}

TEST_P(WatchModelTest, GivenNoLightBarrierBehindAWaitThenNobodyMayWatch) {
  const Ingredients with{.idle = {.light = false}, .watch = {.light_of_wait = false}};
  EXPECT_FALSE(holds(one_lies_down_as_a_wait_begins, with));
}
/// On x86 without membarrier the read-modify-write of the state is the barrier.
TEST_P(WatchModelTest, GivenNoHeavyBarrierInLyingDownThenNobodyMayWatch) {
  const bool is_needed =
      GetParam().machine == Machine::kArm || GetParam().help == Help::kMembarrier;
  const Ingredients with{.idle = {.heavy = false}};
  EXPECT_EQ(holds(one_lies_down_as_a_wait_begins, with), !is_needed);
}
TEST_P(WatchModelTest, GivenAWatcherThatDoesNotPassOnTheSearchThenNobodyMayWatch) {
  const Ingredients with{.idle = {.passes_on = false}};
  EXPECT_FALSE(holds(a_watcher_goes_beside_a_searcher, with));
  EXPECT_FALSE(holds(a_watcher_goes_beside_a_sleeper, with));
}
TEST_P(WatchModelTest, GivenNoLightBarrierBehindAWaitThenTheTimerMayRest) {
  const Ingredients with{.idle = {.light = false}, .watch = {.light_of_wait = false}};
  EXPECT_FALSE(holds(the_timer_rests_as_a_wait_begins, with));
}
/// A worker that looks for the watcher too early sees one that goes, who does not see the wait.
TEST_P(WatchModelTest, GivenNoLightBarrierBetweenAWaitAndTheWatcherThenNeitherMaySeeTheOther) {
  const Ingredients with{.watch = {.light_of_wait = false}};
  EXPECT_FALSE(holds(a_watcher_lies_down_again_as_a_wait_begins, with));
  EXPECT_FALSE(holds(the_timer_rests_as_a_wait_begins_and_the_watcher_goes, with));
}
TEST_P(WatchModelTest, GivenNoLightBarrierBehindTheWatchThenTheTimerMayRest) {
  const Ingredients with{.watch = {.light = false}};
  EXPECT_FALSE(holds(the_timer_rests_as_the_watcher_goes, with));
}
TEST_P(WatchModelTest, GivenNoLightBarrierBehindWhatIsLeftToTheTimerThenItMayRest) {
  const Ingredients with{.watch = {.light = false}};
  EXPECT_FALSE(holds(the_timer_rests_as_a_worker_computes, with));
}
TEST_P(WatchModelTest, GivenNoHeavyBarrierInRestThenTheTimerMayRest) {
  for (const Scenario scenario : kOfTheTimer) {
    EXPECT_FALSE(holds(scenario, {.watch = {.heavy = false}}));
  }
}
/// A membarrier interrupts one thread after the other, so that a wait may begin meanwhile beside a
/// watcher that has gone already, but is still seen. A common word orders all three.
TEST_P(WatchModelTest, GivenOneHeavyBarrierInRestThenTheTimerMayRest) {
  const Ingredients with{.watch = {.heavy_twice = false}};
  EXPECT_EQ(holds(the_timer_rests_as_a_wait_begins_and_the_watcher_goes, with),
            GetParam().help == Help::kCommonWord);
}
TEST_P(WatchModelTest, GivenATimerThatDoesNotLookAgainThenItMayRest) {
  for (const Scenario scenario : kOfTheTimer) {
    EXPECT_FALSE(holds(scenario, {.watch = {.timer_looks_again = false}}));
  }
}

// These are kept by something else.

/// A worker looks for a watcher behind its own barrier already; if the watcher goes after that it
/// is a searcher, who wakes the worker or takes its place.
TEST_P(WatchModelTest, GivenAWaitThatIsNotWorkThenIdleKeepsSomebodyWatching) {
  expect_all(kOfTheWatcher, {.watch = {.is_work = false}});
}
TEST_P(WatchModelTest, GivenRelaxedChangesOfTheWatchThenTheBarriersKeepTheOrder) {
  const Ingredients with{.watch = {.begin = kRelaxed, .end = kRelaxed, .is_on = kRelaxed}};
  expect_all(kOfTheWatcher, with);
  expect_all(kOfTheTimer, with);
}

}  // namespace
}  // namespace kumiko::runtime::model
