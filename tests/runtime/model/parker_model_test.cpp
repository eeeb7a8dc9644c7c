// Contract: a signal is not lost, whether it comes before park(), within it, or while the kernel
// puts the thread to sleep; nor as its time runs out or a handler interrupts it, nor beside an
// event where the thread watches instead; and what was written before unpark() is seen behind it.
//
// The code is runtime/include/kumiko/runtime/detail/parker.hpp and runtime/src/core/parking.hpp.
#include "parker_model.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kumiko::runtime::model {
namespace {

using enum Order;

/// `wakers` threads write and unpark one sleeper, who parks once and reads what the first wrote, if
/// that is the only one.
bool holds(Machine machine, int wakers, ParkerIngredients with = {}) {
  Model model(wakers == 1 ? std::vector<std::string>{"sleeper", "waker"}
                          : std::vector<std::string>{"sleeper", "waker", "waker 2"});
  ParkerModel parker(model, with);
  const Var data = model.variable("data");
  Thread& sleeper = model.thread(0);
  parker.park(sleeper);
  const Reg seen = sleeper.result(sleeper.load(data, kRelaxed));
  for (int i = 1; i <= wakers; ++i) {
    model.thread(i).store(data, 1, kRelaxed);
    parker.unpark(model.thread(i));
  }
  const Verdict verdict =
      explore(model, machine, [&](const End& end) { return end.finished(0) && end[seen] == 1; });
  EXPECT_EQ(verdict.cuts, 0U);
  return verdict.holds;
}

/// How a sleeper may wait for a signal, and for something else besides.
using Wait = Reg (ParkerModel::*)(Thread&);

/// The sleeper waits for the signal or for something else, whichever comes first; if it was not the
/// signal, parks then.
bool holds_beside(const char* other, Machine machine, Wait wait, ParkerIngredients with = {}) {
  Model model({"sleeper", "waker", other});
  ParkerModel parker(model, with);
  const Var data = model.variable("data");
  Thread& sleeper = model.thread(0);
  const Reg woken = (parker.*wait)(sleeper);
  sleeper.when(woken == 0, [&] { parker.park(sleeper); });
  const Reg seen = sleeper.result(sleeper.load(data, kRelaxed));
  model.thread(1).store(data, 1, kRelaxed);
  parker.unpark(model.thread(1));
  parker.happen(model.thread(2));
  const Verdict verdict = explore(model, machine, [&](const End& end) {
    return end.finished(0) && end[seen] == 1 && parker.has_no_signal(end);
  });
  EXPECT_EQ(verdict.cuts, 0U);
  return verdict.holds;
}

/// The sleeper watches and has nothing to wait for but the signal.
bool holds_watching(Machine machine, ParkerIngredients with = {}) {
  Model model({"sleeper", "waker"});
  ParkerModel parker(model, with);
  const Var data = model.variable("data");
  Thread& sleeper = model.thread(0);
  const Reg woken = sleeper.result(parker.watch(sleeper));
  const Reg seen = sleeper.result(sleeper.load(data, kRelaxed));
  model.thread(1).store(data, 1, kRelaxed);
  parker.unpark(model.thread(1));
  return explore(
             model, machine,
             [&](const End& end) { return end.finished(0) && end[woken] == 1 && end[seen] == 1; })
      .holds;
}

class ParkerModelTest : public testing::TestWithParam<Machine> {
 protected:
  bool is_arm() const { return GetParam() == Machine::kArm; }
};
INSTANTIATE_TEST_SUITE_P(On, ParkerModelTest, testing::Values(Machine::kTso, Machine::kArm),
                         [](const auto& machine) {
                           return std::string(machine.param == Machine::kTso ? "Tso" : "Arm");
                         });

TEST_P(ParkerModelTest, GivenTheCodeWhenOneSignalsThenTheSleeperGoesOnAndSeesWhatWasWritten) {
  EXPECT_TRUE(holds(GetParam(), 1));
}
TEST_P(ParkerModelTest, GivenTheCodeWhenTwoSignalThenTheSleeperGoesOnAndSeesWhatWasWritten) {
  EXPECT_TRUE(holds(GetParam(), 2));
}
TEST_P(ParkerModelTest, GivenAKernelThatDoesNotCompareThenASignalIsLost) {
  EXPECT_FALSE(holds(GetParam(), 1, {.kernel_compares = false}));
}
TEST_P(ParkerModelTest, GivenNoWakeUpThenASleeperStaysAsleep) {
  EXPECT_FALSE(holds(GetParam(), 1, {.wakes = false}));
}
TEST_P(ParkerModelTest, GivenAWakeUpBeforeTheSignalThenASleeperStaysAsleep) {
  EXPECT_FALSE(holds(GetParam(), 1, {.signals_first = false}));
}
TEST_P(ParkerModelTest, GivenASignalWithoutReleaseThenOnArmTheDataIsMissed) {
  EXPECT_EQ(holds(GetParam(), 1, {.signal = kAcquire}), !is_arm());
}
TEST_P(ParkerModelTest, GivenASignalTakenWithoutAcquireThenOnArmTheDataIsMissed) {
  EXPECT_EQ(holds(GetParam(), 1, {.take_signal = kRelaxed}), !is_arm());
}

TEST_P(ParkerModelTest, GivenTheCodeWhenTheTimeRunsOutThenASignalIsTakenOrKept) {
  EXPECT_TRUE(holds_beside("clock", GetParam(), &ParkerModel::park_until));
}
TEST_P(ParkerModelTest, GivenATimedSignalTakenWithoutAcquireThenOnArmTheDataIsMissed) {
  EXPECT_EQ(holds_beside("clock", GetParam(), &ParkerModel::park_until, {.take_timed = kRelaxed}),
            !is_arm());
}

TEST_P(ParkerModelTest, GivenTheCodeWhenAHandlerInterruptsThenASignalIsTakenOrKept) {
  EXPECT_TRUE(holds_beside("handler", GetParam(), &ParkerModel::park_undisturbed));
}
TEST_P(ParkerModelTest, GivenAnInterruptedSignalTakenWithoutAcquireThenOnArmTheDataIsMissed) {
  EXPECT_EQ(holds_beside("handler", GetParam(), &ParkerModel::park_undisturbed,
                         {.take_undisturbed = kRelaxed}),
            !is_arm());
}

TEST_P(ParkerModelTest, GivenTheCodeWhenTheSleeperWatchesThenTheBellWakesIt) {
  EXPECT_TRUE(holds_watching(GetParam()));
}
TEST_P(ParkerModelTest, GivenTheCodeWhenAnEventComesBesideThenASignalIsTakenOrKept) {
  EXPECT_TRUE(holds_beside("event", GetParam(), &ParkerModel::watch));
}
TEST_P(ParkerModelTest, GivenNoBellThenAWatcherIsNotWoken) {
  EXPECT_FALSE(holds_watching(GetParam(), {.rings = false}));
}
TEST_P(ParkerModelTest, GivenAWatchBegunWithoutReleaseThenOnArmTheBellIsMissed) {
  EXPECT_EQ(holds_watching(GetParam(), {.begin_watch = kAcquire}), !is_arm());
}
TEST_P(ParkerModelTest, GivenAWatchBegunWithoutAcquireThenOnArmTheDataIsMissed) {
  EXPECT_EQ(holds_watching(GetParam(), {.begin_watch = kRelease}), !is_arm());
}
TEST_P(ParkerModelTest, GivenASignalThatDoesNotAcquireThenOnArmTheBellIsMissed) {
  EXPECT_EQ(holds_watching(GetParam(), {.signal = kRelease}), !is_arm());
}
TEST_P(ParkerModelTest, GivenAWatchEndedWithoutAcquireThenTheKernelKeepsTheOrder) {
  EXPECT_TRUE(holds_watching(GetParam(), {.end_watch = kRelaxed}));
}

}  // namespace
}  // namespace kumiko::runtime::model
