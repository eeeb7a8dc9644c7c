// Contract: no work waits beside a sleeping worker, however the steps of producers and workers fall
// together and are reordered; and each barrier and each step is there for a reason.
//
// IdleModel mirrors runtime/src/idle.hpp and idle.cpp, function by function, and Worker::search()
// and the last two lines of Worker::make_runnable() in runtime/src/worker.cpp. Whoever changes one
// changes the other. A queue is a single cell, for its own protocol is checked elsewhere; the
// Parker is one that keeps a signal (see parker_model_test.cpp). Workers that have found work stay
// busy for ever, which is the worst that they can do.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace kumiko::runtime::model {
namespace {

using enum Order;

/// What the code does, unless a test takes it away.
struct Ingredients {
  bool light = true;
  bool heavy = true;
  bool looks_again = true;  ///< between announce() and park()
  bool passes_on = true;    ///< end_search() wakes the next
  Order push = kRelease;
  Order look = kAcquire;
  Order begin_search = kRelaxed;
  Order end_search = kSeqCst;
  Order announce = kSeqCst;
  Order wake_one = kSeqCst;
  Order retract = kSeqCst;
};

/// Whether a worker searches, sleeps, or has yet to begin its search.
enum class At { kSearching, kAsleep, kBusy };

class IdleModel {
 public:
  IdleModel(Model& model, Help help, Ingredients with, const std::vector<At>& workers, int queues)
      : with_(with),
        workers_(static_cast<int>(workers.size())),
        queues_(queues),
        barrier_(model, help, with.light, with.heavy),
        guard_(model, "guard") {
    int state = 0;
    std::vector<int> asleep;
    for (const At at : workers) {
      asleep.push_back(at == At::kAsleep ? 1 : 0);
      state += at == At::kAsleep ? kSleeper : at == At::kSearching ? kSearcher : 0;
    }
    state_ = model.variable("state", state);
    sleepers_ = model.array("sleepers", asleep);
    signals_ = model.array("signals", std::vector<int>(workers.size()));
    work_ = model.array("work", std::vector<int>(static_cast<std::size_t>(queues)));
  }

  /// Worker::make_runnable().
  void make_runnable(Thread& t, int queue) const {
    t.store(work_[queue], 1, with_.push);
    barrier_.light(t);
    const Reg state = t.load(state_, kRelaxed);
    t.if_(wants_searcher(state), [&] { wake_one(t); });
  }

  /// Worker::search().
  void search(Thread& t, int self, At at) const {
    constexpr int kRounds = 4;
    if (at == At::kBusy) t.fetch_add(state_, kSearcher, with_.begin_search);
    if (at == At::kAsleep) park(t, self);
    Thread::Label found;
    for (int round = 0; round < kRounds; ++round) {
      look_for_work(t, found);
      Thread::Label next;
      announce(t, self);
      if (with_.looks_again) look_again(t, self, next);
      park(t, self);
      t.place(next);
    }
    look_for_work(t, found);
    t.cut();
    t.place(found);
    end_search(t);
  }

  /// The workers are the threads from `first` on.
  bool no_work_waits_beside_a_sleeper(const End& end, int first) const {
    bool work = false;
    for (int queue = 0; queue < queues_; ++queue) work = work || end[work_.at(queue)] != 0;
    for (int thread = 0; thread < first + workers_; ++thread) {
      if (!end.finished(thread) && (work || thread < first)) return false;
    }
    return true;
  }

 private:
  static constexpr int kSearcher = 1;
  static constexpr int kSleeper = 8;

  static Expr wants_searcher(const Expr& state) {
    return state >= kSleeper && state % kSleeper == 0;
  }

  void look_for_work(Thread& t, Thread::Label& found) const {
    for (int queue = 0; queue < queues_; ++queue) {
      const Reg seen = t.load(work_[queue], kRelaxed);
      t.if_(seen != 0, [&] {
        const Reg taken = t.exchange(work_[queue], 0, kAcquire);
        t.go_to_if(taken != 0, found);
      });
    }
  }

  void announce(Thread& t, int self) const {
    guard_.lock(t);
    t.store(sleepers_[self], 1, kRelaxed);
    t.fetch_add(state_, kSleeper - kSearcher, with_.announce);
    guard_.unlock(t);
    barrier_.heavy(t);
  }

  void look_again(Thread& t, int self, Thread::Label& next) const {
    Thread::Label some;
    Thread::Label none;
    for (int queue = 0; queue < queues_; ++queue) {
      const Reg seen = t.load(work_[queue], with_.look);
      t.go_to_if(seen != 0, some);
    }
    t.go_to(none);
    t.place(some);
    retract(t, self, next);
    t.place(none);
  }

  void retract(Thread& t, int self, Thread::Label& next) const {
    guard_.lock(t);
    const Reg asleep = t.load(sleepers_[self], kRelaxed);
    t.if_(asleep == 1, [&] {
      t.store(sleepers_[self], 0, kRelaxed);
      t.fetch_add(state_, kSearcher - kSleeper, with_.retract);
      guard_.unlock(t);
      t.go_to(next);
    });
    guard_.unlock(t);
  }

  void end_search(Thread& t) const {
    const Reg before = t.fetch_add(state_, -kSearcher, with_.end_search);
    if (with_.passes_on) t.if_(wants_searcher(before - kSearcher), [&] { wake_one(t); });
  }

  void wake_one(Thread& t) const {
    Thread::Label end;
    guard_.lock(t);
    const Reg state = t.load(state_, kRelaxed);
    t.if_(!wants_searcher(state), [&] {
      guard_.unlock(t);
      t.go_to(end);
    });
    for (int sleeper = 0; sleeper < workers_; ++sleeper) {
      const Reg asleep = t.load(sleepers_[sleeper], kRelaxed);
      t.if_(asleep == 1, [&] {
        t.store(sleepers_[sleeper], 0, kRelaxed);
        t.fetch_add(state_, kSearcher - kSleeper, with_.wake_one);
        guard_.unlock(t);
        t.store(signals_[sleeper], 1, kRelease);
        t.go_to(end);
      });
    }
    guard_.unlock(t);
    t.place(end);
  }

  void park(Thread& t, int self) const { t.await_and_exchange(signals_[self], 1, 0, kAcquire); }

  Ingredients with_;
  int workers_;
  int queues_;
  BarrierModel barrier_;
  SpinLockModel guard_;
  Var state_{};
  Array sleepers_{};
  Array signals_{};
  Array work_{};
};

struct Scenario {
  const char* name;
  std::vector<int> producers;  ///< how many queues each fills
  std::vector<At> workers;
};

Verdict check(const Scenario& scenario, Setting setting, Ingredients with = {}) {
  const int first = static_cast<int>(scenario.producers.size());
  std::vector<std::string> names;
  int queues = 0;
  for (const int filled : scenario.producers) {
    names.push_back("producer " + std::to_string(names.size()));
    queues += filled;
  }
  for (std::size_t i = 0; i < scenario.workers.size(); ++i) {
    names.push_back("worker " + std::to_string(i));
  }
  Model model(names);
  const IdleModel idle(model, setting.help, with, scenario.workers, queues);
  int queue = 0;
  for (int i = 0; i < first; ++i) {
    for (int k = 0; k < scenario.producers[static_cast<std::size_t>(i)]; ++k) {
      idle.make_runnable(model.thread(i), queue++);
    }
  }
  for (std::size_t i = 0; i < scenario.workers.size(); ++i) {
    const int worker = static_cast<int>(i);
    idle.search(model.thread(first + worker), worker, scenario.workers[i]);
  }
  return explore(model, setting.machine,
                 [&](const End& end) { return idle.no_work_waits_beside_a_sleeper(end, first); });
}

const std::vector<Scenario> kScenarios{
    {"a worker lies down as work appears", {1}, {At::kSearching}},
    {"a busy worker begins to search and lies down", {1}, {At::kBusy}},
    {"two producers and a worker that lies down", {1, 1}, {At::kSearching}},
    {"one worker lies down beside one that sleeps", {1}, {At::kSearching, At::kAsleep}},
    {"the same, with work for both", {2}, {At::kSearching, At::kAsleep}},
    {"two workers sleep, with work for both", {2}, {At::kAsleep, At::kAsleep}},
    {"two workers lie down", {1}, {At::kSearching, At::kSearching}},
};
const Scenario& kOneLiesDown = kScenarios[0];
const Scenario& kWorkForTwo = kScenarios[5];

class IdleModelTest : public testing::TestWithParam<Setting> {
 protected:
  bool holds(const Scenario& scenario, Ingredients with) const {
    return check(scenario, GetParam(), with).holds;
  }
  bool holds_always(Ingredients with) const {
    return std::all_of(kScenarios.begin(), kScenarios.end(),
                       [&](const Scenario& scenario) { return holds(scenario, with); });
  }
};
INSTANTIATE_TEST_SUITE_P(On, IdleModelTest, kSettings, setting_name);

TEST_P(IdleModelTest, GivenTheCode_ThenNoWorkWaitsBesideASleeper) {
  for (const Scenario& scenario : kScenarios) {
    const Verdict verdict = check(scenario, GetParam());
    EXPECT_TRUE(verdict.holds) << scenario.name << "\n" << verdict;
    EXPECT_EQ(verdict.cuts, 0U) << scenario.name;
  }
}

TEST_P(IdleModelTest, GivenNoLightBarrierBehindTheWork_ThenAWakeUpIsLost) {
  EXPECT_FALSE(holds(kOneLiesDown, {.light = false}));
}
/// On x86 without membarrier the read-modify-write of the state is the barrier.
TEST_P(IdleModelTest, GivenNoHeavyBarrierInAnnounce_ThenAWakeUpIsLost) {
  const bool is_needed =
      GetParam().machine == Machine::kArm || GetParam().help == Help::kMembarrier;
  EXPECT_EQ(holds(kOneLiesDown, {.heavy = false}), !is_needed);
}
TEST_P(IdleModelTest, GivenNoLookAfterAnnounce_ThenAWakeUpIsLost) {
  EXPECT_FALSE(holds(kOneLiesDown, {.looks_again = false}));
}
TEST_P(IdleModelTest, GivenASearcherThatDoesNotPassOnTheDuty_ThenWorkWaitsBesideASleeper) {
  EXPECT_FALSE(holds(kWorkForTwo, {.passes_on = false}));
}

// The order of these is kept by the lock, by the barriers, or by the branch that leads to them.

TEST_P(IdleModelTest, GivenRelaxedChangesOfTheState_ThenLockAndBarriersKeepTheOrder) {
  EXPECT_TRUE(holds_always({.announce = kRelaxed, .wake_one = kRelaxed, .retract = kRelaxed}));
}
TEST_P(IdleModelTest, GivenARelaxedEndOfSearch_ThenTheBranchBeforeItKeepsTheOrder) {
  EXPECT_TRUE(holds_always({.end_search = kRelaxed}));
}
TEST_P(IdleModelTest, GivenARelaxedQueue_ThenTheBarriersKeepTheOrder) {
  EXPECT_TRUE(holds_always({.push = kRelaxed, .look = kRelaxed}));
}

}  // namespace
}  // namespace kumiko::runtime::model
