// Contract: whoever makes the counter zero wakes the owner, exactly one does, and the owner then
// sees what all threads of the group have written.
//
// The code is runtime/include/kumiko/runtime/detail/group_state.hpp and
// runtime/src/threads/join_counter.hpp. An owner that wakes itself goes on at once, on the same
// processor; one woken by another thread goes on behind a release and an acquire, those of the
// queue that it comes through.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "recorder.hpp"
#include "threads/join_counter.hpp"

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

/// What the counter is made of here. There is one owner, hence one Waiter, whose number is 1.
struct JoinMachine : RecordingMachine {
  static constexpr int kOwnerToken = 32;

  class Waiter {
   public:
    explicit Waiter(detail::WaitReason) {}

    void wait(void (*publish)(void*), void* argument) const {
      is_publishing_ = true;
      has_woken_itself_ = false;
      publish(argument);
      is_publishing_ = false;
      if (has_woken_itself_) return;
      Recorder::current().perform([](Thread& t) -> Expr {
        t.await_and_exchange(woken, 1, 0, kAcquire);
        return 0;
      });
    }
    void wake() const {
      has_woken_itself_ = is_publishing_;
      if (has_woken_itself_) return;
      Recorder::current().perform(
          [](Thread& t) -> Expr { return t.fetch_add(woken, 1, kRelease); });
    }

   private:
    static inline bool is_publishing_ = false;
    static inline bool has_woken_itself_ = false;
  };

  template <class>
  class Pointer : public Number {
   public:
    Pointer(std::nullptr_t) : Number(nullptr) {}
    Pointer(const Waiter*) : Number(1) {}
    Pointer(const Expr& read) : Number(read) {}
    const Waiter* operator->() const {
      static const Waiter waiter({});
      return &waiter;
    }
  };

  /// Gives a token up in two steps if asked to.
  template <class T>
  class Atomic : public RecordingMachine::Atomic<T> {
   public:
    using RecordingMachine::Atomic<T>::Atomic;

    T fetch_sub(const T& change, std::memory_order order) {
      if (in_one_step) return RecordingMachine::Atomic<T>::fetch_sub(change, order);
      RecordingMachine::Atomic<T>::fetch_sub(kOwnerToken, order);
      return RecordingMachine::Atomic<T>::fetch_add(kOwnerToken - change, order) + kOwnerToken;
    }
  };
  static inline bool in_one_step = true;
  static inline Var woken{};
};

/// Runs the code.
class JoinCounterModel {
 public:
  JoinCounterModel(Model& model, const Ingredients& with)
      : in_one_step_(with.in_one_step),
        barrier_(model, Help::kMembarrier),
        recorder_(model, barrier_,
                  {{"tokens_", JoinMachine::kOwnerToken}, {"left_behind_"}, {"waiter_"}}) {
    JoinMachine::woken = woken_ = model.variable("woken");
    EXPECT_TRUE(recorder_.has_all_members());
    using Kind = Instruction::Kind;
    recorder_.weaken({"leave", "tokens_", Kind::kReadModifyWrite, kAcqRel, with.leave});
    recorder_.weaken({"wait_for_all", "tokens_", Kind::kReadModifyWrite, kAcqRel, with.give_up});
    recorder_.weaken({"wait_for_all", "tokens_", Kind::kLoad, kAcquire, with.look});
  }

  void add(Thread& t) {
    recorder_.call(t, "add", [this] { counter_.add(); });
  }
  /// As the end of a thread does (complete_left_behind()), whose worker goes on with the owner.
  void leave(Thread& t) {
    recorder_.call(t, "leave", [this] {
      if (const auto waiter = counter_.leave(); waiter != nullptr) waiter->wake();
    });
  }
  void leave_behind(Thread& t) {
    recorder_.call(t, "leave_behind", [this] { counter_.leave_behind(); });
  }
  void wait_for_all(Thread& t) {
    JoinMachine::in_one_step = in_one_step_;
    recorder_.call(t, "wait_for_all", [this] { counter_.wait_for_all(); });
    JoinMachine::in_one_step = true;
  }

  /// Nobody wakes the owner once more.
  bool is_as_new(const End& end) const {
    return end[recorder_.member("tokens_")] == JoinMachine::kOwnerToken &&
           end[recorder_.member("left_behind_")] == 0 && end[woken_] == 0;
  }

 private:
  bool in_one_step_;
  BarrierModel barrier_;
  Recorder recorder_;
  Var woken_{};
  detail::BasicJoinCounter<JoinMachine> counter_;
};

/// The owner, and two threads that write and leave. Either the owner has left both behind, or the
/// first and that one adds the second.
bool holds(Machine machine, bool second_is_added, Ingredients with = {}) {
  Model model({"owner", "first", "second"});
  JoinCounterModel counter(model, with);
  const Var spawned = model.variable("spawned");
  const Array written = model.array("written", {0, 0});
  Thread& owner = model.thread(0);
  Thread& first = model.thread(1);
  Thread& second = model.thread(2);

  counter.leave_behind(owner);
  if (!second_is_added) counter.leave_behind(owner);
  counter.wait_for_all(owner);
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

/// The owner, who has left nobody behind, and a thread that somebody else has added before.
bool holds_with_an_outsider(Machine machine, Ingredients with = {}) {
  Model model({"owner", "outsider"});
  JoinCounterModel counter(model, with);
  const Var spawned = model.variable("spawned");
  const Var written = model.variable("written");
  Thread& owner = model.thread(0);
  Thread& outsider = model.thread(1);

  owner.await_and_exchange(spawned, 1, 0, kAcquire);
  counter.wait_for_all(owner);
  const Reg seen = owner.result(owner.load(written, kRelaxed));

  counter.add(outsider);
  outsider.store(spawned, 1, kRelease);
  outsider.store(written, 1, kRelaxed);
  counter.leave(outsider);

  return explore(model, machine,
                 [&](const End& end) {
                   return end.finished(0) && end.finished(1) && counter.is_as_new(end) &&
                          end[seen] == 1;
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
TEST_P(JoinCounterModelTest, GivenTheCodeWhenAnotherHasAddedOneThenTheOwnerSeesItsEffects) {
  EXPECT_TRUE(holds_with_an_outsider(GetParam()));
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
  EXPECT_EQ(holds_with_an_outsider(GetParam(), {.look = kRelaxed}), !is_arm());
}

}  // namespace
}  // namespace kumiko::runtime::model
