// Contract: no interleaving and no reordering lets an element of the deque be taken twice, be lost,
// or be seen before it is complete; and each barrier and each memory order is there for a reason.
#include "deque_model.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::runtime::model {
namespace {

using enum Order;
using Ingredients = DequeIngredients;

/// What the threads do, a letter for each call: p(ush), o (pop), h (share), s(teal), S(eize).
struct Scenario {
  const char* name;
  int capacity;
  int present;
  std::vector<std::string> threads;  ///< the owner first
};

Verdict check(const Scenario& scenario, Setting setting, Ingredients with = {}) {
  const std::vector<std::string> names{"owner", "thief", "thief 2"};
  const int threads = static_cast<int>(scenario.threads.size());
  Model model({names.begin(), names.begin() + threads});
  int elements = scenario.present;
  for (const char call : scenario.threads[0]) elements += call == 'p' ? 1 : 0;
  const BarrierModel barrier(model, setting.help);
  DequeModel deque(model, barrier, with, scenario.capacity, elements, scenario.present);
  int pushed = scenario.present;
  for (int i = 0; i < threads; ++i) {
    Thread& t = model.thread(i);
    for (const char call : scenario.threads[static_cast<std::size_t>(i)]) {
      if (call == 'p') deque.push(t, ++pushed);
      if (call == 'o') deque.pop(t);
      if (call == 'h') deque.share(t);
      if (call == 's') deque.steal(t);
      if (call == 'S') deque.seize(t);
    }
  }
  return explore(model, setting.machine, [&](const End& end) {
    for (int i = 0; i < threads; ++i) {
      if (!end.finished(i)) return false;
    }
    return deque.is_accounted_for(end);
  });
}

const Scenario kPopAndSeize{"a new element is popped and seized", 2, 0, {"po", "S"}};
const Scenario kPopPushAndSeize{
    "one element is popped, one pushed in its place, and seized", 2, 1, {"opo", "S"}};
const Scenario kShareAndSteal{"an element is shared and stolen", 2, 1, {"ho", "s"}};
const Scenario kReuse{"a slot is used again while its element is seized", 1, 1, {"p", "S"}};

const std::vector<Scenario> kScenarios{
    kPopAndSeize,
    kPopPushAndSeize,
    kShareAndSteal,
    kReuse,
    {"two elements are popped and seized", 2, 2, {"oo", "SS"}},
    {"what is seized makes the next public", 4, 3, {"oo", "Ss"}},
    {"elements are shared, taken back, stolen and seized", 2, 1, {"phoo", "sS"}},
    {"two thieves seize", 2, 1, {"o", "S", "S"}},
    {"one thief steals what another has made public", 2, 2, {"o", "S", "s"}},
};

class DequeModelTest : public testing::TestWithParam<Setting> {
 protected:
  bool holds(const Scenario& scenario, Ingredients with) const {
    return check(scenario, GetParam(), with).holds;
  }
  bool holds_always(Ingredients with) const {
    return std::all_of(kScenarios.begin(), kScenarios.end(),
                       [&](const Scenario& scenario) { return holds(scenario, with); });
  }
  bool is_arm() const { return GetParam().machine == Machine::kArm; }
};
INSTANTIATE_TEST_SUITE_P(On, DequeModelTest, kSettings, setting_name);

TEST_P(DequeModelTest, GivenTheCodeThenEveryElementIsTakenExactlyOnceAndComplete) {
  for (const Scenario& scenario : kScenarios) {
    const Verdict verdict = check(scenario, GetParam());
    EXPECT_TRUE(verdict.holds) << scenario.name << "\n" << verdict;
  }
}

TEST_P(DequeModelTest, GivenNoLightBarrierInPopThenAnElementIsTakenTwice) {
  EXPECT_FALSE(holds(kPopAndSeize, {.light = false}));
}
TEST_P(DequeModelTest, GivenNoHeavyBarrierInSeizeThenAnElementIsTakenTwice) {
  EXPECT_FALSE(holds(kPopAndSeize, {.heavy = false}));
}
TEST_P(DequeModelTest, GivenAPushWithoutReleaseThenOnArmAnElementIsSeizedBeforeItIsComplete) {
  EXPECT_EQ(holds(kPopAndSeize, {.push_young = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenASeizeWithoutAcquireThenOnArmAnElementIsSeizedBeforeItIsComplete) {
  EXPECT_EQ(holds(kPopPushAndSeize, {.seize_young = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenATakeWithoutReleaseThenOnArmASlotIsUsedAgainTooEarly) {
  EXPECT_EQ(holds(kReuse, {.take_old = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenALockWithoutAcquireThenOnArmElementsAreLostOrTakenTwice) {
  EXPECT_EQ(holds(kShareAndSteal, {.lock = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenALockWithoutReleaseThenOnArmElementsAreLostOrTakenTwice) {
  EXPECT_EQ(holds(kShareAndSteal, {.unlock = kRelaxed}), !is_arm());
}

// C++ demands what follows, since it has no release sequences of plain stores and ignores control
// dependencies. The processors do without.

TEST_P(DequeModelTest, GivenAPopWithoutReleaseThenThePushBeforeItHasOrderedTheElement) {
  EXPECT_TRUE(holds_always({.pop_young = kRelaxed}));
}
TEST_P(DequeModelTest, GivenAReuseWithoutAcquireThenTheBranchBeforeItHoldsTheStoreBack) {
  EXPECT_TRUE(holds_always({.make_room_old = kRelaxed}));
}
TEST_P(DequeModelTest, GivenALookAtWhetherItIsEmptyWithoutAcquireThenItWasAHintOnly) {
  EXPECT_TRUE(holds_always({.empty = kRelaxed}));
}

}  // namespace
}  // namespace kumiko::runtime::model
