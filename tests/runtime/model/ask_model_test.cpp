// Contract: one ask of an idle worker leads to one part at most, which it sees before it asks
// again; and no ask stands of which a busy worker would not hear.
//
// The code is runtime/src/core/ask.hpp. The bits in the poll words, and who sets and clears them in
// which order, mirror Worker::give_to_asker() and divide_for_asker() of
// runtime/src/core/worker.cpp.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/ask.hpp"
#include "recorder.hpp"

namespace kumiko::runtime::model {
namespace {

using enum Order;

/// What the code does, unless a test takes it away.
struct AskIngredients {
  Order answer = kRelease;
  Order look = kAcquire;
  Order tell = kRelease;
  Order hear = kAcquire;
  bool claims = true;  ///< who answers has claimed it, and is not only one who has seen it
  bool answers_afterwards = true;  ///< when the part is there
};

/// Runs the code: thread 0 is idle and asks, the others are busy.
class AskModel {
 public:
  AskModel(Model& model, const AskIngredients& with)
      : with_(with),
        barrier_(model, Help::kMembarrier),
        recorder_(model, barrier_, {{"state_"}, {"stands_"}}),
        bits_(model.array("bits", {1, 1})),
        parts_(model.variable("parts")) {
    EXPECT_TRUE(recorder_.has_all_members());
    using Kind = Instruction::Kind;
    recorder_.weaken({"answer", "state_", Kind::kStore, kRelease, with.answer});
    recorder_.weaken({"raise", "state_", Kind::kLoad, kAcquire, with.look});
  }

  /// Returns 1 if it has asked anew; then tells `busy` ones.
  Reg raise(Thread& t, int busy) {
    const Reg anew = t.variable();
    recorder_.call(t, "raise", [&] {
      const bool is_anew = ask_.raise();
      recorder_.perform([&](Thread&) -> Expr {
        t.set(anew, is_anew ? 1 : 0);
        return 0;
      });
    });
    t.when(anew == 1, [&] {
      for (int i = 0; i < busy; ++i) t.exchange(bits_[i], 1, with_.tell);
    });
    return anew;
  }

  void withdraw(Thread& t) {
    recorder_.call(t, "withdraw", [this] { ask_.withdraw(); });
  }

  /// A poll of busy worker `i`, which makes a part if it is the one to answer.
  void poll(Thread& t, int i) {
    t.exchange(bits_[i], 0, with_.hear);
    const Reg is_mine = t.variable();
    recorder_.call(t, "claim", [&] {
      const bool claimed = with_.claims ? ask_.claim() : ask_.is_open();
      recorder_.perform([&](Thread&) -> Expr {
        t.set(is_mine, claimed ? 1 : 0);
        return 0;
      });
    });
    t.when(is_mine == 1, [&] {
      if (!with_.answers_afterwards) answer(t);
      t.fetch_add(parts_, 1, kRelaxed);
      if (with_.answers_afterwards) answer(t);
    });
  }

  Reg parts_seen(Thread& t) { return t.load(parts_, kRelaxed); }

  int parts(const End& end) const { return end[parts_]; }
  bool nobody_asks(const End& end) const { return state(end) == 0; }
  /// Of busy worker 0: it hears of the ask that stands, or the ask has been claimed.
  bool is_heard(const End& end) const { return state(end) != 1 || end[bits_.at(0)] == 1; }

 private:
  int state(const End& end) const { return end[recorder_.member("state_")]; }

  void answer(Thread& t) {
    recorder_.call(t, "answer", [this] { ask_.answer(); });
  }

  const AskIngredients with_;
  BarrierModel barrier_;
  Recorder recorder_;
  Array bits_;
  Var parts_;
  detail::BasicAsk<RecordingMachine> ask_;
};

/// One asks, sees that it is answered, looks at the queues and asks again.
bool sees_the_part(Machine machine, AskIngredients with = {}) {
  Model model({"idle", "busy"});
  AskModel ask(model, with);
  Thread& idle = model.thread(0);
  ask.raise(idle, 1);
  ask.raise(idle, 1);  // may find the answer
  const Reg seen = idle.result(ask.parts_seen(idle));
  const Reg anew = idle.result(ask.raise(idle, 1));
  ask.poll(model.thread(1), 0);
  // One part by the first ask and one poll; so who asks anew has had it.
  return explore(model, machine,
                 [&](const End& end) { return !(end[anew] == 1 && end[seen] == 0); })
      .holds;
}

/// One asks once; two busy ones hear of it.
bool makes_one_part(Machine machine, AskIngredients with = {}) {
  Model model({"idle", "busy", "busy 2"});
  AskModel ask(model, with);
  ask.raise(model.thread(0), 2);
  ask.poll(model.thread(1), 0);
  ask.poll(model.thread(2), 1);
  return explore(model, machine, [&](const End& end) { return ask.parts(end) <= 1; }).holds;
}

/// One asks and finds something meanwhile.
bool withdraws(Machine machine) {
  Model model({"idle", "busy"});
  AskModel ask(model, {});
  Thread& idle = model.thread(0);
  ask.raise(idle, 1);
  ask.withdraw(idle);
  ask.poll(model.thread(1), 0);
  return explore(model, machine,
                 [&](const End& end) { return ask.nobody_asks(end) && ask.parts(end) <= 1; })
      .holds;
}

/// One asks while a busy one clears a bit that somebody has set before.
bool is_heard(Machine machine, AskIngredients with = {}) {
  Model model({"idle", "busy"});
  AskModel ask(model, with);
  ask.raise(model.thread(0), 1);
  ask.poll(model.thread(1), 0);
  return explore(model, machine, [&](const End& end) { return ask.is_heard(end); }).holds;
}

class AskModelTest : public testing::TestWithParam<Machine> {
 protected:
  bool is_arm() const { return GetParam() == Machine::kArm; }
};
INSTANTIATE_TEST_SUITE_P(On, AskModelTest, testing::Values(Machine::kTso, Machine::kArm),
                         [](const auto& machine) {
                           return std::string(machine.param == Machine::kTso ? "Tso" : "Arm");
                         });

TEST_P(AskModelTest, GivenTheCodeWhenOneAsksThenOnePartIsMade) {
  EXPECT_TRUE(makes_one_part(GetParam()));
}
TEST_P(AskModelTest, GivenTheCodeWhenOneAsksAgainThenItHasSeenThePart) {
  EXPECT_TRUE(sees_the_part(GetParam()));
}
TEST_P(AskModelTest, GivenTheCodeWhenOneWithdrawsThenNoAskIsLeft) {
  EXPECT_TRUE(withdraws(GetParam()));
}
TEST_P(AskModelTest, GivenTheCodeWhenABitIsClearedThenTheAskIsStillHeardOf) {
  EXPECT_TRUE(is_heard(GetParam()));
}
TEST_P(AskModelTest, GivenNoClaimThenTwoPartsAreMadeForOneAsk) {
  EXPECT_FALSE(makes_one_part(GetParam(), {.claims = false}));
}
TEST_P(AskModelTest, GivenAnAnswerBeforeThePartThenItIsMissed) {
  EXPECT_FALSE(sees_the_part(GetParam(), {.answers_afterwards = false}));
}
TEST_P(AskModelTest, GivenAnAnswerWithoutReleaseThenOnArmThePartIsMissed) {
  EXPECT_EQ(sees_the_part(GetParam(), {.answer = kRelaxed}), !is_arm());
}
TEST_P(AskModelTest, GivenALookWithoutAcquireThenOnArmThePartIsMissed) {
  EXPECT_EQ(sees_the_part(GetParam(), {.look = kRelaxed}), !is_arm());
}
TEST_P(AskModelTest, GivenABitSetWithoutReleaseThenOnArmNobodyHearsOfTheAsk) {
  EXPECT_EQ(is_heard(GetParam(), {.tell = kRelaxed}), !is_arm());
}
TEST_P(AskModelTest, GivenABitClearedWithoutAcquireThenOnArmNobodyHearsOfTheAsk) {
  EXPECT_EQ(is_heard(GetParam(), {.hear = kRelaxed}), !is_arm());
}

}  // namespace
}  // namespace kumiko::runtime::model
