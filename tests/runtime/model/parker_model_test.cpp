// Contract: a signal is not lost, whether it comes before park(), within it, or while the kernel
// puts the thread to sleep; and what was written before unpark() is seen after park().
//
// The model mirrors park() and unpark() in runtime/src/core/parker.cpp. Whoever changes one changes
// the other. The futex is a bit that says who sleeps; the kernel compares and lies down in one
// step.
#include <string>

#include <gtest/gtest.h>

#include "support.hpp"

namespace kumiko::runtime::model {
namespace {

using enum Order;

/// What the code does, unless a test takes it away.
struct Ingredients {
  Order take_signal = kAcquire;
  Order signal = kRelease;
  bool kernel_compares = true;
  bool wakes = true;
  bool signals_first = true;
};

class ParkerModel {
 public:
  ParkerModel(Model& model, Ingredients with)
      : with_(with), signalled_(model.variable("signalled")), asleep_(model.variable("asleep")) {}

  void park(Thread& t) const {
    // Each signal makes the thread look at most once more.
    constexpr int kLooks = 4;
    Thread::Label end;
    for (int look = 0; look < kLooks; ++look) {
      const Reg signalled = t.exchange(signalled_, 0, with_.take_signal);
      t.go_to_if(signalled != 0, end);
      t.kernel("futex: lies down unless signalled", [this](Value* cells) {
        cells[asleep_.cell] = !with_.kernel_compares || cells[signalled_.cell] == 0 ? 1 : 0;
        return true;
      });
      t.kernel("futex: is awake", [this](const Value* cells) { return cells[asleep_.cell] == 0; });
    }
    t.cut();
    t.place(end);
  }

  void unpark(Thread& t) const {
    if (with_.signals_first) t.store(signalled_, 1, with_.signal);
    if (with_.wakes) {
      t.kernel("futex: wakes", [this](Value* cells) {
        cells[asleep_.cell] = 0;
        return true;
      });
    }
    if (!with_.signals_first) t.store(signalled_, 1, with_.signal);
  }

 private:
  Ingredients with_;
  Var signalled_;
  Var asleep_;
};

/// `wakers` threads write and unpark one sleeper, who parks once and reads what the first wrote, if
/// that is the only one.
bool holds(Machine machine, int wakers, Ingredients with = {}) {
  Model model(wakers == 1 ? std::vector<std::string>{"sleeper", "waker"}
                          : std::vector<std::string>{"sleeper", "waker", "waker 2"});
  const ParkerModel parker(model, with);
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
  EXPECT_EQ(holds(GetParam(), 1, {.signal = kRelaxed}), !is_arm());
}
TEST_P(ParkerModelTest, GivenASignalTakenWithoutAcquireThenOnArmTheDataIsMissed) {
  EXPECT_EQ(holds(GetParam(), 1, {.take_signal = kRelaxed}), !is_arm());
}

}  // namespace
}  // namespace kumiko::runtime::model
