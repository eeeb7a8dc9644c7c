// Contract: whoever makes the counter zero wakes the owner, exactly one does, and the owner then
// sees what all threads of the group have written.
//
// JoinCounterModel mirrors runtime/include/kumiko/runtime/detail/group_state.hpp (JoinCounter) and
// wait_slowly() and give_up_token() in runtime/src/threads/task_group.cpp. Whoever changes one
// changes the other. An owner that wakes itself goes on at once, on the same processor; one woken
// by another thread goes on behind a release and an acquire, those of the queue that it comes
// through.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace kumiko::runtime::model {
namespace {

using enum Order;

/// What the code does, unless a test takes it away.
struct Ingredients {
  Order leave = kAcqRel;
  Order give_up = kAcqRel;
  Order look = kAcquire;
  bool adds_first = true;   ///< before the thread that is added can leave
  bool in_one_step = true;  ///< the owner replaces its token by what it has left behind
};

class JoinCounterModel {
 public:
  static constexpr int kOwnerToken = 32;

  JoinCounterModel(Model& model, Ingredients with)
      : with_(with),
        tokens_(model.variable("tokens", kOwnerToken)),
        waiter_(model.variable("waiter")),
        woken_(model.variable("woken")) {}

  void add(Thread& t) const { t.fetch_add(tokens_, 1, kRelaxed); }

  void leave(Thread& t) const {
    const Reg before = t.fetch_add(tokens_, -1, with_.leave);
    t.when(before == 1, [&] {
      const Reg waiter = t.load(waiter_, kRelaxed);
      t.when(waiter == 1, [&] { t.fetch_add(woken_, 1, kRelease); });
    });
  }

  void wait_for_all(Thread& t, int left_behind) const {
    Thread::Label end;
    const Reg tokens = t.load(tokens_, with_.look);
    t.go_to_if(tokens + left_behind == kOwnerToken, end);
    t.store(waiter_, 1, kRelaxed);
    give_up_token(t, left_behind, end);
    t.await_and_exchange(woken_, 1, 0, kAcquire);
    t.place(end);
    t.store(tokens_, kOwnerToken, kRelaxed);
  }

  /// Nobody wakes the owner once more.
  bool is_as_new(const End& end) const { return end[tokens_] == kOwnerToken && end[woken_] == 0; }

 private:
  void give_up_token(Thread& t, int left_behind, Thread::Label& end) const {
    if (with_.in_one_step) {
      const int change = kOwnerToken - left_behind;
      const Reg before = t.fetch_add(tokens_, -change, with_.give_up);
      t.go_to_if(before == change, end);
    } else {
      t.fetch_add(tokens_, -kOwnerToken, with_.give_up);
      const Reg before = t.fetch_add(tokens_, left_behind, with_.give_up);
      t.go_to_if(before == -left_behind, end);
    }
  }

  Ingredients with_;
  Var tokens_;
  Var waiter_;
  Var woken_;
};

/// The owner, and two threads that write and leave. Either the owner has left both behind, or the
/// first and that one adds the second.
bool holds(Machine machine, bool second_is_added, Ingredients with = {}) {
  Model model({"owner", "first", "second"});
  const JoinCounterModel counter(model, with);
  const Var spawned = model.variable("spawned");
  const Array written = model.array("written", {0, 0});
  Thread& owner = model.thread(0);
  Thread& first = model.thread(1);
  Thread& second = model.thread(2);

  counter.wait_for_all(owner, second_is_added ? 1 : 2);
  const Reg one = owner.result(owner.load(written[0], kRelaxed));
  const Reg two = owner.result(owner.load(written[1], kRelaxed));

  if (second_is_added) {
    if (with.adds_first) counter.add(first);
    first.store(spawned, 1, kRelease);
    second.await_and_exchange(spawned, 1, 0, kAcquire);
  }
  first.store(written[0], 1, kRelaxed);
  if (second_is_added && !with.adds_first) counter.add(first);
  counter.leave(first);
  second.store(written[1], 1, kRelaxed);
  counter.leave(second);

  return explore(model, machine,
                 [&](const End& end) {
                   return end.finished(0) && end.finished(1) && end.finished(2) &&
                          counter.is_as_new(end) && end[one] == 1 && end[two] == 1;
                 })
      .holds;
}

class JoinCounterModelTest : public testing::TestWithParam<Machine> {
 protected:
  bool is_arm() const { return GetParam() == Machine::kArm; }
};
INSTANTIATE_TEST_SUITE_P(On, JoinCounterModelTest, testing::Values(Machine::kTso, Machine::kArm),
                         [](const auto& machine) {
                           return std::string(machine.param == Machine::kTso ? "Tso" : "Arm");
                         });

TEST_P(JoinCounterModelTest, GivenTheCodeWhenTwoAreLeftBehindThenTheOwnerIsWokenOnceAndSeesAll) {
  EXPECT_TRUE(holds(GetParam(), false));
}
TEST_P(JoinCounterModelTest, GivenTheCodeWhenOneAddsAnotherThenTheOwnerIsWokenOnceAndSeesAll) {
  EXPECT_TRUE(holds(GetParam(), true));
}
TEST_P(JoinCounterModelTest, GivenAThreadAddedTooLateThenTheOwnerMayGoOnTooEarly) {
  EXPECT_FALSE(holds(GetParam(), true, {.adds_first = false}));
}
TEST_P(JoinCounterModelTest, GivenATokenGivenUpInTwoStepsThenTheOwnerMayGoOnTooEarly) {
  EXPECT_FALSE(holds(GetParam(), true, {.in_one_step = false}));
}
TEST_P(JoinCounterModelTest, GivenALeaveWithoutReleaseThenOnArmItsEffectsAreMissed) {
  EXPECT_EQ(holds(GetParam(), false, {.leave = kAcquire}), !is_arm());
}
TEST_P(JoinCounterModelTest, GivenALeaveWithoutAcquireThenOnArmTheWaiterIsMissed) {
  EXPECT_EQ(holds(GetParam(), false, {.leave = kRelease}), !is_arm());
}
TEST_P(JoinCounterModelTest, GivenATokenGivenUpWithoutReleaseThenOnArmTheWaiterIsMissed) {
  EXPECT_EQ(holds(GetParam(), false, {.give_up = kAcquire}), !is_arm());
}
TEST_P(JoinCounterModelTest, GivenATokenGivenUpWithoutAcquireThenOnArmEffectsAreMissed) {
  EXPECT_EQ(holds(GetParam(), false, {.give_up = kRelease}), !is_arm());
}
TEST_P(JoinCounterModelTest, GivenALookWithoutAcquireThenOnArmEffectsAreMissed) {
  EXPECT_EQ(holds(GetParam(), false, {.look = kRelaxed}), !is_arm());
}

}  // namespace
}  // namespace kumiko::runtime::model
