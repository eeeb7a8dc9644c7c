// Contract: no interleaving and no reordering lets an element of the deque be taken twice, be lost,
// or be seen before it is complete; and each barrier and each memory order is there for a reason.
//
// DequeModel mirrors runtime/src/deque.hpp, function by function. Whoever changes one changes the
// other. Left out: reserve_one() and make_room() but for the reuse of a slot, and the larger ring,
// which changes under the lock only.
#include <algorithm>
#include <functional>
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
  Order push_young = kRelease;
  Order pop_young = kRelease;
  Order pop_public_young = kRelease;
  Order seize_young = kAcquire;
  Order take_old = kRelease;
  Order make_room_old = kAcquire;
  Order empty = kAcquire;
  Order lock = kAcquire;
  Order unlock = kRelease;
};

/// Elements are numbers from 1 on. Each points to a cell that is 1 once the element is complete.
class DequeModel {
 public:
  static constexpr int kNothing = 0;
  static constexpr int kIncomplete = -1;

  /// \param present the number of private elements at the beginning.
  DequeModel(Model& model, Help help, Ingredients with, int capacity, int elements, int present)
      : with_(with),
        capacity_(capacity),
        elements_(elements),
        barrier_(model, help, with.light, with.heavy),
        lock_(model, "lock", with.lock, with.unlock),
        young_(model.variable("young", present)),
        split_(model.variable("split")),
        old_(model.variable("old")) {
    std::vector<int> slots(static_cast<std::size_t>(capacity));
    std::vector<int> complete(static_cast<std::size_t>(elements) + 1);
    for (int i = 0; i < present; ++i) {
      slots[static_cast<std::size_t>(i)] = i + 1;
      complete[static_cast<std::size_t>(i) + 1] = 1;
    }
    slots_ = model.array("slots", slots);
    complete_ = model.array("complete", complete);
  }

  void push(Thread& t, int element) const {
    t.store(complete_[element], 1, kRelaxed);
    const Reg young = t.load(young_, kRelaxed);
    t.store(slot(young), element, kRelaxed);
    t.store(young_, young + 1, with_.push_young);
  }

  /// push() where the ring is full for all that the owner knows; nothing if it is full indeed.
  void push_into_used_slot(Thread& t, int element) const {
    const Reg young = t.load(young_, kRelaxed);
    const Reg old = t.load(old_, with_.make_room_old);
    t.if_(young < old + capacity_, [&] { push(t, element); });
  }

  void pop(Thread& t) {
    const Reg taken = t.result();
    const Reg young = t.load(young_, kRelaxed);
    const Reg split = t.load(split_, kRelaxed);
    Thread::Label is_public;
    Thread::Label end;
    t.go_to_if(young - 1 < split, is_public);
    t.store(young_, young - 1, with_.pop_young);
    barrier_.light(t);  // B1
    const Reg split_again = t.load(split_, kRelaxed);
    t.go_to_if(young - 1 < split_again, is_public);
    take(t, taken, t.load(slot(young - 1), kRelaxed));
    t.go_to(end);
    t.place(is_public);
    pop_public(t, taken, young - 1);
    t.place(end);
    taken_.push_back(taken);
  }

  void share(Thread& t) const {
    const Reg young = t.load(young_, kRelaxed);
    lock_.lock(t);
    const Reg split = t.load(split_, kRelaxed);
    t.if_(young != split, [&] { t.store(split_, split + half(young - split), kRelaxed); });
    lock_.unlock(t);
  }

  void steal(Thread& t) {
    const Reg taken = t.result();
    const Reg old = t.load(old_, kRelaxed);
    const Reg split = t.load(split_, kRelaxed);
    t.if_(old < split, [&] {
      const Reg held = lock_.try_lock(t);
      t.if_(held == 0, [&] {
        take_oldest(t, taken, [] {});
        lock_.unlock(t);
      });
    });
    taken_.push_back(taken);
  }

  void seize(Thread& t) {
    const Reg taken = t.result();
    const Reg old = t.load(old_, with_.empty);
    const Reg young = t.load(young_, with_.empty);
    t.if_(old < young, [&] {
      const Reg held = lock_.try_lock(t);
      t.if_(held == 0, [&] {
        take_oldest(t, taken, [&] { claim(t, taken); });
        lock_.unlock(t);
      });
    });
    taken_.push_back(taken);
  }

  /// Every element that was pushed has been taken once or is in the deque once, and is complete.
  /// Those that were not pushed are in `absent`.
  bool is_accounted_for(const End& end, int threads) const {
    for (int t = 0; t < threads; ++t) {
      if (!end.finished(t)) return false;
    }
    std::vector<int> count(static_cast<std::size_t>(elements_) + 1);
    for (const Reg& reg : taken_) {
      const int element = end[reg];
      if (element == kUnset) continue;
      if (element <= kNothing) return false;
      ++count[static_cast<std::size_t>(element)];
    }
    for (int i = end[old_]; i < end[young_]; ++i) {
      ++count[static_cast<std::size_t>(end[slots_.at(i % capacity_)])];
    }
    for (int element = 1; element <= elements_; ++element) {
      const int pushed = end[complete_.at(element)];
      if (count[static_cast<std::size_t>(element)] != pushed) return false;
    }
    return end[old_] <= end[split_] && end[split_] <= end[young_];
  }

 private:
  static Expr half(const Expr& length) { return (length + 1) / 2; }

  Place slot(const Expr& index) const { return slots_[index % capacity_]; }

  /// What a taker does first with an element is to look at what it points to.
  void take(Thread& t, const Reg& taken, const Reg& element) const {
    const Reg complete = t.load(complete_[element], kRelaxed);
    t.if_(
        complete == 1, [&] { t.set(taken, element); }, [&] { t.set(taken, kIncomplete); });
  }

  void take_oldest(Thread& t, const Reg& taken, const std::function<void()>& otherwise) const {
    const Reg old = t.load(old_, kRelaxed);
    const Reg split = t.load(split_, kRelaxed);
    t.if_(
        old < split,
        [&] {
          const Reg element = t.load(slot(old), kRelaxed);
          t.store(old_, old + 1, with_.take_old);
          take(t, taken, element);
        },
        otherwise);
  }

  /// The second half of seize().
  void claim(Thread& t, const Reg& taken) const {
    const Reg split = t.load(split_, kRelaxed);
    const Reg young = t.load(young_, kRelaxed);
    t.if_(split < young, [&] {
      const Expr claimed = split + half(young - split);
      t.store(split_, claimed, kRelaxed);
      barrier_.heavy(t);  // B2
      const Reg young_again = t.load(young_, with_.seize_young);
      t.if_(
          young_again < claimed, [&] { t.store(split_, split, kRelaxed); },
          [&] { take_oldest(t, taken, [] {}); });
    });
  }

  void pop_public(Thread& t, const Reg& taken, const Expr& young) const {
    Thread::Label end;
    t.store(young_, young + 1, with_.pop_public_young);
    const Reg old = t.load(old_, kRelaxed);
    t.go_to_if(young < old, end);
    lock_.lock(t);
    const Reg old_again = t.load(old_, kRelaxed);
    t.if_(old_again <= young, [&] {
      const Reg split = t.load(split_, kRelaxed);
      t.if_(young < split,
            [&] { t.store(split_, old_again + (young + 1 - old_again) / 2, kRelaxed); });
      t.store(young_, young, with_.pop_public_young);
      take(t, taken, t.load(slot(young), kRelaxed));
    });
    lock_.unlock(t);
    t.place(end);
  }

  Ingredients with_;
  int capacity_;
  int elements_;
  BarrierModel barrier_;
  SpinLockModel lock_;
  Var young_;
  Var split_;
  Var old_;
  Array slots_{};
  Array complete_{};
  std::vector<Reg> taken_;
};

/// What the threads do, a letter for each call: p(ush), o (pop), h (share), s(teal), S(eize),
/// r (push into a slot that was used).
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
  for (const char call : scenario.threads[0]) elements += call == 'p' || call == 'r' ? 1 : 0;
  DequeModel deque(model, setting.help, with, scenario.capacity, elements, scenario.present);
  int pushed = scenario.present;
  for (int i = 0; i < threads; ++i) {
    Thread& t = model.thread(i);
    for (const char call : scenario.threads[static_cast<std::size_t>(i)]) {
      if (call == 'p') deque.push(t, ++pushed);
      if (call == 'r') deque.push_into_used_slot(t, ++pushed);
      if (call == 'o') deque.pop(t);
      if (call == 'h') deque.share(t);
      if (call == 's') deque.steal(t);
      if (call == 'S') deque.seize(t);
    }
  }
  return explore(model, setting.machine,
                 [&](const End& end) { return deque.is_accounted_for(end, threads); });
}

const std::vector<Scenario> kScenarios{
    {"a new element is popped and seized", 2, 0, {"po", "S"}},
    {"one element is popped, one pushed in its place, and seized", 2, 1, {"opo", "S"}},
    {"two elements are popped and seized", 2, 2, {"oo", "SS"}},
    {"what is seized makes the next public", 4, 3, {"oo", "Ss"}},
    {"an element is shared and stolen", 2, 1, {"ho", "s"}},
    {"elements are shared, taken back, stolen and seized", 2, 1, {"phoo", "sS"}},
    {"a slot is used again while its element is seized", 1, 1, {"r", "S"}},
    {"two thieves seize", 2, 1, {"o", "S", "S"}},
    {"one thief steals what another has made public", 2, 2, {"o", "S", "s"}},
};
const Scenario& kPopAndSeize = kScenarios[0];
const Scenario& kPopPushAndSeize = kScenarios[1];
const Scenario& kShareAndSteal = kScenarios[4];
const Scenario& kReuse = kScenarios[6];

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

TEST_P(DequeModelTest, GivenTheCode_ThenEveryElementIsTakenExactlyOnceAndComplete) {
  for (const Scenario& scenario : kScenarios) {
    const Verdict verdict = check(scenario, GetParam());
    EXPECT_TRUE(verdict.holds) << scenario.name << "\n" << verdict;
  }
}

TEST_P(DequeModelTest, GivenNoLightBarrierInPop_ThenAnElementIsTakenTwice) {
  EXPECT_FALSE(holds(kPopAndSeize, {.light = false}));
}
TEST_P(DequeModelTest, GivenNoHeavyBarrierInSeize_ThenAnElementIsTakenTwice) {
  EXPECT_FALSE(holds(kPopAndSeize, {.heavy = false}));
}
TEST_P(DequeModelTest, GivenAPushWithoutRelease_ThenOnArmAnElementIsSeizedBeforeItIsComplete) {
  EXPECT_EQ(holds(kPopAndSeize, {.push_young = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenASeizeWithoutAcquire_ThenOnArmAnElementIsSeizedBeforeItIsComplete) {
  EXPECT_EQ(holds(kPopPushAndSeize, {.seize_young = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenATakeWithoutRelease_ThenOnArmASlotIsUsedAgainTooEarly) {
  EXPECT_EQ(holds(kReuse, {.take_old = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenALockWithoutAcquire_ThenOnArmElementsAreLostOrTakenTwice) {
  EXPECT_EQ(holds(kShareAndSteal, {.lock = kRelaxed}), !is_arm());
}
TEST_P(DequeModelTest, GivenALockWithoutRelease_ThenOnArmElementsAreLostOrTakenTwice) {
  EXPECT_EQ(holds(kShareAndSteal, {.unlock = kRelaxed}), !is_arm());
}

// C++ demands what follows, since it has no release sequences of plain stores and ignores control
// dependencies. The processors do without.

TEST_P(DequeModelTest, GivenAPopWithoutRelease_ThenThePushBeforeItHasOrderedTheElement) {
  EXPECT_TRUE(holds_always({.pop_young = kRelaxed, .pop_public_young = kRelaxed}));
}
TEST_P(DequeModelTest, GivenAReuseWithoutAcquire_ThenTheBranchBeforeItHoldsTheStoreBack) {
  EXPECT_TRUE(holds_always({.make_room_old = kRelaxed}));
}
TEST_P(DequeModelTest, GivenALookAtWhetherItIsEmptyWithoutAcquire_ThenItWasAHintOnly) {
  EXPECT_TRUE(holds_always({.empty = kRelaxed}));
}

}  // namespace
}  // namespace kumiko::runtime::model
