// Contract: what a thread has left before it polls is seen by a poll, its own or that of whoever
// polls meanwhile; and no two poll at a time.
//
// The code is runtime/src/core/poll_turn.hpp.
#include <string>

#include <gtest/gtest.h>

#include "core/poll_turn.hpp"
#include "recorder.hpp"

namespace kumiko::runtime::model {
namespace {

using enum Order;

/// What the code does, unless a test takes it away.
struct TurnIngredients {
  Order end = kSeqCst;
  Order mark = kSeqCst;
  Order look = kSeqCst;        ///< at polled_
  Order look_again = kSeqCst;  ///< at the mark
  bool marks = true;
};

/// A look into the source is a step of the kernel, which is stronger than a source's.
struct TurnMachine : RecordingMachine {
  static constexpr int kRounds = 2;  ///< enough where each is asked once

  template <class T>
  class Atomic : public RecordingMachine::Atomic<T> {
   public:
    using RecordingMachine::Atomic<T>::Atomic;

    /// Of marks, which are 1 and 3: the greater one.
    T fetch_or(const T& mark, std::memory_order order) {
      if (!marks) return 0;
      if (mark.known() == 3) return RecordingMachine::Atomic<T>::exchange(mark, order);
      const T before = this->load(std::memory_order_relaxed);
      return RecordingMachine::Atomic<T>::exchange(T(before.value() + (before.value() == 0)),
                                                   order);
    }
  };
  static inline bool marks = true;
};

/// Runs the code: each thread leaves something in the source, then polls it.
class TurnModel {
 public:
  TurnModel(Model& model, const TurnIngredients& with)
      : barrier_(model, Help::kMembarrier),
        recorder_(model, barrier_, {{"polled_"}, {"wanted_"}}),
        left_(model.array("left", {0, 0})),
        inside_(model.variable("inside")),
        most_inside_(model.variable("two inside")),
        marks_(with.marks) {
    EXPECT_TRUE(recorder_.has_all_members());
    using Kind = Instruction::Kind;
    recorder_.weaken({"poll", "polled_", Kind::kStore, kSeqCst, with.end});
    recorder_.weaken({"poll", "polled_", Kind::kLoad, kSeqCst, with.look});
    recorder_.weaken({"poll", "wanted_", Kind::kReadModifyWrite, kSeqCst, with.mark});
    recorder_.weaken({"poll", "wanted_", Kind::kLoad, kSeqCst, with.look_again});
  }

  void leave_and_poll(Thread& t, int number) {
    TurnMachine::marks = marks_;
    t.store(left_[number], 1, kRelaxed);
    recorder_.call(
        t, "poll",
        [this] {
          turn_.poll(true, [this](bool) {
            recorder_.kernel("looks into the source", [this](Value* cells) {
              if (cells[inside_.cell]++ != 0) cells[most_inside_.cell] = 1;
              for (int i = 0; i < 2; ++i) {
                Value& left = cells[left_.at(i).cell];
                if (left == 1) left = 2;
              }
              return true;
            });
            recorder_.kernel("has looked", [this](Value* cells) {
              --cells[inside_.cell];
              return true;
            });
            return 0;
          });
        },
        40);
    TurnMachine::marks = true;
  }

  bool all_is_seen(const End& end) const { return end[left_.at(0)] == 2 && end[left_.at(1)] == 2; }
  bool one_at_a_time(const End& end) const { return end[most_inside_] == 0; }

 private:
  BarrierModel barrier_;
  Recorder recorder_;
  Array left_;
  Var inside_;
  Var most_inside_;
  bool marks_;
  detail::BasicPollTurn<TurnMachine> turn_;
};

/// Two threads poll, each after it has left something.
bool holds(Machine machine, TurnIngredients with = {}) {
  Model model({"one", "other"});
  TurnModel turn(model, with);
  turn.leave_and_poll(model.thread(0), 0);
  turn.leave_and_poll(model.thread(1), 1);
  const Verdict verdict = explore(model, machine, [&](const End& end) {
    return turn.all_is_seen(end) && turn.one_at_a_time(end);
  });
  EXPECT_EQ(verdict.cuts, 0U);
  return verdict.holds;
}

class PollTurnModelTest : public testing::TestWithParam<Machine> {
 protected:
  bool is_arm() const { return GetParam() == Machine::kArm; }
};
INSTANTIATE_TEST_SUITE_P(On, PollTurnModelTest, testing::Values(Machine::kTso, Machine::kArm),
                         [](const auto& machine) {
                           return std::string(machine.param == Machine::kTso ? "Tso" : "Arm");
                         });

TEST_P(PollTurnModelTest, GivenTheCodeWhenTwoPollThenBothAreSeenAndOneIsThereAtATime) {
  EXPECT_TRUE(holds(GetParam()));
}
TEST_P(PollTurnModelTest, GivenNoMarkThenSomethingIsMissed) {
  EXPECT_FALSE(holds(GetParam(), {.marks = false}));
}
TEST_P(PollTurnModelTest, GivenAnEndThatIsReleasedOnlyThenSomethingIsMissed) {
  EXPECT_FALSE(holds(GetParam(), {.end = kRelease}));
}

TEST_P(PollTurnModelTest, GivenAMarkThatIsNotInOneOrderWithTheRestThenOnArmSomethingIsMissed) {
  EXPECT_EQ(holds(GetParam(), {.mark = kAcqRel}), !is_arm());
}
TEST_P(PollTurnModelTest, GivenALookAtWhoPollsThatIsNotSoThenOnArmSomethingIsMissed) {
  EXPECT_EQ(holds(GetParam(), {.look = kAcquire}), !is_arm());
}
TEST_P(PollTurnModelTest, GivenALookAtTheMarkThatIsNotSoThenOnArmSomethingIsMissed) {
  EXPECT_EQ(holds(GetParam(), {.look_again = kAcquire}), !is_arm());
}

}  // namespace
}  // namespace kumiko::runtime::model
