// Contract: the checker finds what x86 and ARMv8 permit, and nothing that they forbid. The litmus
// tests are those of the literature (Sewell et al., "x86-TSO", CACM 2010; Pulte et al.,
// "Simplifying ARM concurrency", POPL 2018).
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"

namespace kumiko::runtime::model {
namespace {

using enum Order;

class LitmusTest : public testing::Test {
 protected:
  Model model_{{"T0", "T1", "T2", "T3"}};
  Thread& t0_ = model_.thread(0);
  Thread& t1_ = model_.thread(1);
  Thread& t2_ = model_.thread(2);
  Thread& t3_ = model_.thread(3);
  Var x_ = model_.variable("x");
  Var y_ = model_.variable("y");
};

/// What stands between the two accesses of a thread.
using Between = void (*)(Thread&);
void nothing(Thread&) {}
void fence(Thread& t) { t.fence(); }
void light(Thread& t) { t.compiler_barrier(); }
void heavy(Thread& t) { t.membarrier(); }

// --- Store buffering: both threads store, then load what the other stores ------------------------

class StoreBuffering : public LitmusTest, public testing::WithParamInterface<Machine> {
 protected:
  bool both_may_read_zero(Between first, Between second, Order store = kRelaxed,
                          Order load = kRelaxed) {
    t0_.store(x_, 1, store);
    first(t0_);
    const Reg a = t0_.result(t0_.load(y_, load));
    t1_.store(y_, 1, store);
    second(t1_);
    const Reg b = t1_.result(t1_.load(x_, load));
    return reachable(model_, GetParam(),
                     [=](const End& end) { return end[a] == 0 && end[b] == 0; });
  }
};
const auto kMachines = testing::Values(Machine::kTso, Machine::kArm);
const auto kMachineName = [](const auto& machine) {
  return std::string(machine.param == Machine::kTso ? "Tso" : "Arm");
};
INSTANTIATE_TEST_SUITE_P(On, StoreBuffering, kMachines, kMachineName);

TEST_P(StoreBuffering, WhenRelaxedThenBothMayReadZero) {
  EXPECT_TRUE(both_may_read_zero(nothing, nothing));
}
TEST_P(StoreBuffering, WhenReleaseAndAcquireThenBothMayReadZero) {
  EXPECT_TRUE(both_may_read_zero(nothing, nothing, kRelease, kAcquire));
}
TEST_P(StoreBuffering, WhenSeqCstThenNot) {
  EXPECT_FALSE(both_may_read_zero(nothing, nothing, kSeqCst, kSeqCst));
}
TEST_P(StoreBuffering, WhenFencedThenNot) { EXPECT_FALSE(both_may_read_zero(fence, fence)); }
TEST_P(StoreBuffering, WhenOneSideIsFencedThenBothMayReadZero) {
  EXPECT_TRUE(both_may_read_zero(fence, nothing));
}
TEST_P(StoreBuffering, WhenLightAndHeavyThenNot) { EXPECT_FALSE(both_may_read_zero(light, heavy)); }
TEST_P(StoreBuffering, WhenLightAndLightThenBothMayReadZero) {
  EXPECT_TRUE(both_may_read_zero(light, light));
}
TEST_P(StoreBuffering, WhenTheCompilerMayExchangeAndHeavyThenBothMayReadZero) {
  EXPECT_TRUE(both_may_read_zero(nothing, heavy));
}
TEST_P(StoreBuffering, WhenLightAndFenceThenBothMayReadZero) {
  EXPECT_TRUE(both_may_read_zero(light, fence));
}

/// A store is seen by its own thread first.
TEST_P(StoreBuffering, WhenEachReadsItsOwnStoreFirstThenBothMayReadZero) {
  t0_.store(x_, 1, kRelaxed);
  const Reg own_x = t0_.result(t0_.load(x_, kRelaxed));
  const Reg a = t0_.result(t0_.load(y_, kRelaxed));
  t1_.store(y_, 1, kRelaxed);
  const Reg own_y = t1_.result(t1_.load(y_, kRelaxed));
  const Reg b = t1_.result(t1_.load(x_, kRelaxed));
  EXPECT_TRUE(reachable(model_, GetParam(), [=](const End& end) {
    return end[own_x] == 1 && end[own_y] == 1 && end[a] == 0 && end[b] == 0;
  }));
}

/// Two read-modify-writes of one word.
TEST_P(StoreBuffering, WhenBothMeetThenNot) {
  static Var word;
  word = model_.variable("word");
  const Between meet = [](Thread& t) { t.fetch_add(word, 0, kAcqRel); };
  EXPECT_FALSE(both_may_read_zero(meet, meet));
}
TEST_P(StoreBuffering, WhenOneMeetsAndTheOtherMeetsElsewhereThenOnArmBothMayReadZero) {
  static Var word;
  static Var other;
  word = model_.variable("word");
  other = model_.variable("other");
  EXPECT_EQ(both_may_read_zero([](Thread& t) { t.fetch_add(word, 0, kAcqRel); },
                               [](Thread& t) { t.fetch_add(other, 0, kAcqRel); }),
            GetParam() == Machine::kArm);
}
/// Not even a sequentially consistent one is a fence on aarch64.
TEST_P(StoreBuffering, WhenSeqCstReadModifyWritesElsewhereThenOnArmBothMayReadZero) {
  static Var word;
  static Var other;
  word = model_.variable("word");
  other = model_.variable("other");
  EXPECT_EQ(both_may_read_zero([](Thread& t) { t.fetch_add(word, 0, kSeqCst); },
                               [](Thread& t) { t.fetch_add(other, 0, kSeqCst); }),
            GetParam() == Machine::kArm);
}

// --- Message passing: data, then flag; flag, then data -------------------------------------------

class MessagePassing : public LitmusTest, public testing::WithParamInterface<Machine> {
 protected:
  bool is_arm() const { return GetParam() == Machine::kArm; }

  bool may_miss_the_data(Order store, Order load, Between between = nothing) {
    t0_.store(x_, 1, kRelaxed);
    t0_.store(y_, 1, store);
    const Reg flag = t1_.result(t1_.load(y_, load));
    between(t1_);
    const Reg data = t1_.result(t1_.load(x_, kRelaxed));
    return reachable(model_, GetParam(),
                     [=](const End& end) { return end[flag] == 1 && end[data] == 0; });
  }
};
INSTANTIATE_TEST_SUITE_P(On, MessagePassing, kMachines, kMachineName);

TEST_P(MessagePassing, WhenRelaxedThenOnArmTheDataMayBeMissed) {
  EXPECT_EQ(may_miss_the_data(kRelaxed, kRelaxed), is_arm());
}
TEST_P(MessagePassing, WhenReleaseOnlyThenOnArmTheDataMayBeMissed) {
  EXPECT_EQ(may_miss_the_data(kRelease, kRelaxed), is_arm());
}
TEST_P(MessagePassing, WhenAcquireOnlyThenOnArmTheDataMayBeMissed) {
  EXPECT_EQ(may_miss_the_data(kRelaxed, kAcquire), is_arm());
}
TEST_P(MessagePassing, WhenReleaseAndAcquireThenNot) {
  EXPECT_FALSE(may_miss_the_data(kRelease, kAcquire));
}
TEST_P(MessagePassing, WhenReleaseAndFenceThenNot) {
  EXPECT_FALSE(may_miss_the_data(kRelease, kRelaxed, fence));
}

TEST_P(MessagePassing, WhenTheDataIsLoadedBehindABranchOnlyThenOnArmItMayBeMissed) {
  t0_.store(x_, 1, kRelaxed);
  t0_.store(y_, 1, kRelease);
  const Reg flag = t1_.load(y_, kRelaxed);
  const Reg data = t1_.result();
  t1_.when(flag == 1, [&] { t1_.set(data, t1_.load(x_, kRelaxed)); });
  EXPECT_EQ(reachable(model_, GetParam(), [=](const End& end) { return end[data] == 0; }),
            is_arm());
}
TEST_P(MessagePassing, WhenTheDataIsLoadedFromAnAddressThatWasReadThenNot) {
  const Array data = model_.array("data", {7, 0});
  t0_.store(data[1], 1, kRelaxed);
  t0_.store(x_, 1, kRelease);
  const Reg address = t1_.load(x_, kRelaxed);
  const Reg value = t1_.result(t1_.load(data[address], kRelaxed));
  EXPECT_FALSE(reachable(model_, GetParam(), [=](const End& end) { return end[value] == 0; }));
}

/// A load behind a guessed branch may read a store of its own thread that must still wait (PPOCA).
TEST_P(MessagePassing, WhenTheDataIsLoadedBehindAStoreOfItsOwnThenOnArmItMayBeMissed) {
  const Var z = model_.variable("z");
  const Array data = model_.array("data", {0, 0});
  t0_.store(data[1], 1, kRelaxed);
  t0_.fence();
  t0_.store(y_, 1, kRelaxed);
  const Reg flag = t1_.load(y_, kRelaxed);
  const Reg value = t1_.result();
  t1_.when(flag == 1, [&] {
    t1_.store(z, 1, kRelaxed);
    const Reg own = t1_.load(z, kRelaxed);
    t1_.set(value, t1_.load(data[own], kRelaxed));
  });
  EXPECT_EQ(reachable(model_, GetParam(), [=](const End& end) { return end[value] == 0; }),
            is_arm());
}

/// A load may be performed before an earlier store's address is known, unless it is the same.
TEST_P(MessagePassing, WhenAnEarlierAddressIsUnknownThenTheLoadIsStillCoherent) {
  const Array cells = model_.array("cells", {0, 0});
  const Reg address = t1_.load(y_, kRelaxed);
  t1_.store(cells[address], 7, kRelaxed);
  const Reg value = t1_.result(t1_.load(cells[0], kRelaxed));
  const Reg where = t1_.result(address);
  t0_.store(y_, 1, kRelaxed);
  const auto seen = [=](int at, int what) {
    return [=](const End& end) { return end[where] == at && end[value] == what; };
  };
  EXPECT_TRUE(reachable(model_, GetParam(), seen(0, 7)));
  EXPECT_TRUE(reachable(model_, GetParam(), seen(1, 0)));
  EXPECT_FALSE(reachable(model_, GetParam(), seen(0, 0)));
  EXPECT_FALSE(reachable(model_, GetParam(), seen(1, 7)));
}

/// A third thread passes the message on.
TEST_P(MessagePassing, WhenPassedOnByReleaseAndAcquireThenNot) {
  const Var z = model_.variable("z");
  t0_.store(x_, 1, kRelaxed);
  t0_.store(y_, 1, kRelease);
  t1_.store(z, t1_.load(y_, kAcquire), kRelease);
  const Reg flag = t2_.result(t2_.load(z, kAcquire));
  const Reg data = t2_.result(t2_.load(x_, kRelaxed));
  EXPECT_FALSE(reachable(model_, GetParam(),
                         [=](const End& end) { return end[flag] == 1 && end[data] == 0; }));
}

// --- Load buffering: both threads load, then store what the other loads --------------------------

class LoadBuffering : public LitmusTest, public testing::WithParamInterface<Machine> {
 protected:
  bool both_may_read_one(Order store) {
    const Reg a = t0_.result(t0_.load(y_, kRelaxed));
    t0_.store(x_, 1, store);
    const Reg b = t1_.result(t1_.load(x_, kRelaxed));
    t1_.store(y_, 1, store);
    return reachable(model_, GetParam(),
                     [=](const End& end) { return end[a] == 1 && end[b] == 1; });
  }
};
INSTANTIATE_TEST_SUITE_P(On, LoadBuffering, kMachines, kMachineName);

TEST_P(LoadBuffering, WhenRelaxedThenOnArmBothMayReadOne) {
  EXPECT_EQ(both_may_read_one(kRelaxed), GetParam() == Machine::kArm);
}
TEST_P(LoadBuffering, WhenReleasedThenNot) { EXPECT_FALSE(both_may_read_one(kRelease)); }

TEST_P(LoadBuffering, WhenTheStoresDependOnTheLoadsThenNot) {
  const Reg a = t0_.result(t0_.load(y_, kRelaxed));
  t0_.when(a == 1, [&] { t0_.store(x_, 1, kRelaxed); });
  const Reg b = t1_.result(t1_.load(x_, kRelaxed));
  t1_.store(y_, 1 + b - b, kRelaxed);
  EXPECT_FALSE(
      reachable(model_, GetParam(), [=](const End& end) { return end[a] == 1 && end[b] == 1; }));
}

// --- Coherence and the rest ----------------------------------------------------------------------

class Coherence : public LitmusTest, public testing::WithParamInterface<Machine> {};
INSTANTIATE_TEST_SUITE_P(On, Coherence, kMachines, kMachineName);

TEST_P(Coherence, WhenOneCellIsReadTwiceThenNeverBackwards) {
  t0_.store(x_, 1, kRelaxed);
  const Reg a = t1_.result(t1_.load(x_, kRelaxed));
  const Reg b = t1_.result(t1_.load(x_, kRelaxed));
  EXPECT_FALSE(
      reachable(model_, GetParam(), [=](const End& end) { return end[a] == 1 && end[b] == 0; }));
}

TEST_P(Coherence, WhenAThreadReadsItsOwnStoreThenItSeesItOrANewerOne) {
  t0_.store(x_, 1, kRelaxed);
  const Reg a = t0_.result(t0_.load(x_, kRelaxed));
  t1_.store(x_, 2, kRelaxed);
  EXPECT_FALSE(reachable(model_, GetParam(), [=](const End& end) { return end[a] == 0; }));
  EXPECT_TRUE(reachable(model_, GetParam(), [=](const End& end) { return end[a] == 2; }));
}

TEST_P(Coherence, WhenTwoThreadsStoreTwoCellsThenOnArmTheFirstStoresMayBothBeLast) {
  t0_.store(x_, 1, kRelaxed);
  t0_.store(y_, 2, kRelaxed);
  t1_.store(y_, 1, kRelaxed);
  t1_.store(x_, 2, kRelaxed);
  EXPECT_EQ(reachable(model_, GetParam(),
                      [=, this](const End& end) { return end[x_] == 1 && end[y_] == 1; }),
            GetParam() == Machine::kArm);
}

TEST_P(Coherence, WhenTwoThreadsIncrementThenNoIncrementIsLost) {
  t0_.fetch_add(x_, 1, kRelaxed);
  t1_.fetch_add(x_, 1, kRelaxed);
  EXPECT_TRUE(
      explore(model_, GetParam(), [=, this](const End& end) { return end[x_] == 2; }).holds);
}

TEST_P(Coherence, WhenTwoThreadsCompareAndExchangeThenOneSucceeds) {
  const Reg a = t0_.result(t0_.compare_and_exchange(x_, 0, 1, kRelaxed));
  const Reg b = t1_.result(t1_.compare_and_exchange(x_, 0, 2, kRelaxed));
  EXPECT_TRUE(explore(model_, GetParam(), [=, this](const End& end) {
                return (end[a] == 0 && end[b] == 1 && end[x_] == 1) ||
                       (end[b] == 0 && end[a] == 2 && end[x_] == 2);
              }).holds);
}

/// On ARM it is a load then, which acquires but is not ordered with a store before it.
TEST_P(Coherence, WhenACompareAndExchangeFailsBetweenStoreAndLoadThenOnArmItIsNotAFence) {
  const Var z = model_.variable("z", 1);
  t0_.store(x_, 1, kRelaxed);
  t0_.compare_and_exchange(z, 0, 2, kAcqRel);
  const Reg a = t0_.result(t0_.load(y_, kRelaxed));
  t1_.store(y_, 1, kRelaxed);
  t1_.fence();
  const Reg b = t1_.result(t1_.load(x_, kRelaxed));
  EXPECT_EQ(
      reachable(model_, GetParam(), [=](const End& end) { return end[a] == 0 && end[b] == 0; }),
      GetParam() == Machine::kArm);
  EXPECT_FALSE(reachable(model_, GetParam(), [=](const End& end) { return end[z] != 1; }));
}

/// Multi-copy atomicity: two readers agree in which order two stores came.
TEST_P(Coherence, WhenTwoReadersAcquireThenTheyAgreeOnTheOrderOfStores) {
  t0_.store(x_, 1, kRelaxed);
  t1_.store(y_, 1, kRelaxed);
  const Reg a = t2_.result(t2_.load(x_, kAcquire));
  const Reg b = t2_.result(t2_.load(y_, kAcquire));
  const Reg c = t3_.result(t3_.load(y_, kAcquire));
  const Reg d = t3_.result(t3_.load(x_, kAcquire));
  EXPECT_FALSE(reachable(model_, GetParam(), [=](const End& end) {
    return end[a] == 1 && end[b] == 0 && end[c] == 1 && end[d] == 0;
  }));
}

}  // namespace
}  // namespace kumiko::runtime::model
