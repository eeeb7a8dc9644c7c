// Contract: no work waits beside a sleeping worker, however the steps of producers and workers fall
// together and are reordered; and each barrier and each step is there for a reason.
//
// A queue is a single cell here, or the deque itself. Workers that have found work stay busy for
// ever, which is the worst that they can do.
#include "idle_model.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deque_model.hpp"

namespace kumiko::runtime::model {
namespace {

using enum Order;
using Ingredients = IdleIngredients;

/// Queues with room for one.
class Cells {
 public:
  Cells(Model& model, int count, Order push, Order look)
      : count_(count),
        push_(push),
        look_(look),
        cells_(model.array("work", std::vector<int>(static_cast<std::size_t>(count)))) {}

  void push(Thread& t, int queue) const { t.store(cells_[queue], 1, push_); }

  Queues as_queues() const {
    return {[this](Thread& t, Thread::Label& found) { take(t, found); },
            [this](Thread& t, Thread::Label& some) { look(t, some); }};
  }

  bool are_empty(const End& end) const {
    for (int queue = 0; queue < count_; ++queue) {
      if (end[cells_.at(queue)] != 0) return false;
    }
    return true;
  }

 private:
  void take(Thread& t, Thread::Label& found) const {
    for (int queue = 0; queue < count_; ++queue) {
      const Reg seen = t.load(cells_[queue], Order::kRelaxed);
      t.when(seen != 0, [&] {
        const Reg taken = t.exchange(cells_[queue], 0, Order::kAcquire);
        t.go_to_if(taken != 0, found);
      });
    }
  }

  void look(Thread& t, Thread::Label& some) const {
    for (int queue = 0; queue < count_; ++queue)
      t.go_to_if(t.load(cells_[queue], look_) != 0, some);
  }

  int count_;
  Order push_;
  Order look_;
  Array cells_;
};

/// Producers have ended, and so have workers if there is work.
bool no_work_waits_beside_a_sleeper(const End& end, int producers, int workers, bool work) {
  for (int thread = 0; thread < producers + workers; ++thread) {
    if (!end.finished(thread) && (work || thread < producers)) return false;
  }
  return true;
}

std::vector<std::string> names(std::size_t producers, std::size_t workers) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < producers; ++i) names.push_back("producer " + std::to_string(i));
  for (std::size_t i = 0; i < workers; ++i) names.push_back("worker " + std::to_string(i));
  return names;
}

struct Scenario {
  const char* name;
  std::vector<int> producers;  ///< how many queues each fills
  std::vector<At> workers;
};

template <class Parker = SignalKeeper>
Verdict check(const Scenario& scenario, Setting setting, Ingredients with = {},
              Order push = kRelease, Order look = kAcquire) {
  const int producers = static_cast<int>(scenario.producers.size());
  const int workers = static_cast<int>(scenario.workers.size());
  Model model(names(scenario.producers.size(), scenario.workers.size()));
  const BarrierModel barrier(model, setting.help);
  IdleModel<Parker> idle(model, barrier, with, scenario.workers);
  const Cells cells(model, std::accumulate(scenario.producers.begin(), scenario.producers.end(), 0),
                    push, look);
  int queue = 0;
  for (int i = 0; i < producers; ++i) {
    for (int k = 0; k < scenario.producers[static_cast<std::size_t>(i)]; ++k) {
      cells.push(model.thread(i), queue++);
      idle.work_appeared(model.thread(i));
    }
  }
  for (int i = 0; i < workers; ++i) {
    const auto worker = static_cast<std::size_t>(i);
    idle.search(model.thread(producers + i), worker, scenario.workers[worker], cells.as_queues());
  }
  return explore(model, setting.machine, [&](const End& end) {
    return no_work_waits_beside_a_sleeper(end, producers, workers, !cells.are_empty(end));
  });
}

/// One worker pushes (p) and pops (o) its deque, others seize from it.
Verdict check_with_deque(const std::string& calls, const std::vector<At>& thieves, Setting setting,
                         Ingredients with = {}) {
  const int workers = static_cast<int>(thieves.size());
  Model model(names(1, thieves.size()));
  const BarrierModel barrier(model, setting.help);
  IdleModel idle(model, barrier, with, thieves);
  const int elements = static_cast<int>(std::count(calls.begin(), calls.end(), 'p'));
  DequeModel deque(model, barrier, {}, 2, elements, 0);
  Thread& owner = model.thread(0);
  int pushed = 0;
  for (const char call : calls) {
    if (call == 'o') {
      deque.pop(owner);
    } else {
      deque.push(owner, ++pushed);
      idle.work_appeared(owner);
    }
  }
  const Queues queues{
      [&](Thread& t, Thread::Label& found) {
        const Reg element = deque.seize(t);
        t.go_to_if(element != DequeModel::kNothing, found);
      },
      [&](Thread& t, Thread::Label& some) { t.go_to_if(deque.empty(t) == 0, some); }};
  for (int i = 0; i < workers; ++i) {
    const auto worker = static_cast<std::size_t>(i);
    idle.search(model.thread(1 + i), worker, thieves[worker], queues);
  }
  return explore(model, setting.machine, [&](const End& end) {
    return deque.is_accounted_for(end) &&
           no_work_waits_beside_a_sleeper(end, 1, workers, !deque.is_empty(end));
  });
}

const Scenario kOneLiesDown{"a worker lies down as work appears", {1}, {At::kSearching}};
const Scenario kWorkForTwo{
    "two workers sleep, with work for both", {2}, {At::kAsleep, At::kAsleep}};

const std::vector<Scenario> kScenarios{
    kOneLiesDown,
    kWorkForTwo,
    {"a busy worker begins to search and lies down", {1}, {At::kBusy}},
    {"two producers and a worker that lies down", {1, 1}, {At::kSearching}},
    {"one worker lies down beside one that sleeps", {1}, {At::kSearching, At::kAsleep}},
    {"the same, with work for both", {2}, {At::kSearching, At::kAsleep}},
    {"two workers lie down", {1}, {At::kSearching, At::kSearching}},
};

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

TEST_P(IdleModelTest, GivenTheCodeThenNoWorkWaitsBesideASleeper) {
  for (const Scenario& scenario : kScenarios) {
    const Verdict verdict = check(scenario, GetParam());
    EXPECT_TRUE(verdict.holds) << scenario.name << "\n" << verdict;
    EXPECT_EQ(verdict.cuts, 0U) << scenario.name;
  }
}

TEST_P(IdleModelTest, GivenTheCodeAndRealParkersThenNoWorkWaitsBesideASleeper) {
  for (const Scenario& scenario : {kOneLiesDown, kWorkForTwo}) {
    const Verdict verdict = check<RealParker>(scenario, GetParam());
    EXPECT_TRUE(verdict.holds) << scenario.name << "\n" << verdict;
    EXPECT_EQ(verdict.cuts, 0U) << scenario.name;
  }
}

TEST_P(IdleModelTest, GivenTheCodeAndADequeThenNoWorkWaitsBesideASleeper) {
  for (const char* const calls : {"p", "pp", "po", "ppo", "pop"}) {
    const Verdict verdict = check_with_deque(calls, {At::kSearching}, GetParam());
    EXPECT_TRUE(verdict.holds) << calls << "\n" << verdict;
  }
}

TEST_P(IdleModelTest, GivenNoLightBarrierBehindTheWorkThenAWakeUpIsLost) {
  EXPECT_FALSE(holds(kOneLiesDown, {.light = false}));
}
/// On x86 without membarrier the read-modify-write of the state is the barrier.
TEST_P(IdleModelTest, GivenNoHeavyBarrierInAnnounceThenAWakeUpIsLost) {
  const bool is_needed =
      GetParam().machine == Machine::kArm || GetParam().help == Help::kMembarrier;
  EXPECT_EQ(holds(kOneLiesDown, {.heavy = false}), !is_needed);
}
TEST_P(IdleModelTest, GivenADequeButNoLightBarrierBehindAPushThenAWakeUpIsLost) {
  EXPECT_FALSE(check_with_deque("pp", {At::kSearching}, GetParam(), {.light = false}).holds);
}
TEST_P(IdleModelTest, GivenNoLookAfterAnnounceThenAWakeUpIsLost) {
  EXPECT_FALSE(holds(kOneLiesDown, {.looks_again = false}));
}
TEST_P(IdleModelTest, GivenASearcherThatDoesNotPassOnTheDutyThenWorkWaitsBesideASleeper) {
  EXPECT_FALSE(holds(kWorkForTwo, {.passes_on = false}));
}

// The order of these is kept by the lock, by the barriers, or by the branch that leads to them.

TEST_P(IdleModelTest, GivenRelaxedChangesOfTheStateThenLockAndBarriersKeepTheOrder) {
  EXPECT_TRUE(holds_always({.lie_down = kRelaxed, .work_appeared = kRelaxed}));
}
TEST_P(IdleModelTest, GivenARelaxedEndOfSearchThenTheBranchBeforeItKeepsTheOrder) {
  EXPECT_TRUE(holds_always({.end_search = kRelaxed}));
}
TEST_P(IdleModelTest, GivenRelaxedQueuesThenTheBarriersKeepTheOrder) {
  for (const Scenario& scenario : kScenarios) {
    EXPECT_TRUE(check(scenario, GetParam(), {}, kRelaxed, kRelaxed).holds) << scenario.name;
  }
}

}  // namespace
}  // namespace kumiko::runtime::model
