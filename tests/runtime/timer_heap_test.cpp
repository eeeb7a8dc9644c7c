// Contract: a TimerHeap gives its waiters back in the order of their deadlines, each once, and none
// before its time; a waiter may leave at any time, from anywhere in the heap.
#include "time/timer_heap.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime::detail {
namespace {

Deadline at(int tick) { return Deadline(std::chrono::microseconds(tick)); }

/// Waiters of this OS thread, so expire_one() returns nullptr for them; the size tells.
class TimerHeapTest : public testing::Test {
 protected:
  Waiter& add(int tick) {
    waiters_.push_back(std::make_unique<Waiter>(WaitReason{"a test", nullptr}));
    EXPECT_TRUE(heap_.add(*waiters_.back(), at(tick)));
    return *waiters_.back();
  }
  bool expire_one(int now) {
    const std::size_t before = heap_.size();
    heap_.expire_one(at(now));
    EXPECT_GE(heap_.size() + 1, before);
    return heap_.size() < before;
  }

  std::vector<std::unique_ptr<Waiter>> waiters_;
  TimerHeap heap_;
};

TEST_F(TimerHeapTest, GivenNoWaitersWhenAskedThenTheEndOfTime) {
  EXPECT_EQ(heap_.earliest(), Deadline::max());
  EXPECT_FALSE(expire_one(1000));
}

TEST_F(TimerHeapTest, GivenWaitersInAnyOrderWhenTheirTimesComeThenInTheOrderOfTheirDeadlines) {
  for (const int tick : {5, 3, 8, 1, 9, 2, 7, 4, 6, 3}) add(tick);
  for (const int tick : {1, 2, 3, 3, 4, 5, 6, 7, 8, 9}) {
    EXPECT_EQ(heap_.earliest(), at(tick));
    EXPECT_FALSE(expire_one(tick - 1));
    EXPECT_TRUE(expire_one(tick));
  }
  EXPECT_EQ(heap_.size(), 0U);
}

TEST_F(TimerHeapTest, GivenAWaiterAnywhereWhenItLeavesThenTheOthersKeepTheirOrder) {
  constexpr int kWaiters = 15;
  for (int leaver = 0; leaver < kWaiters; ++leaver) {
    std::vector<Waiter*> waiters;
    for (int i = 0; i < kWaiters; ++i) waiters.push_back(&add(i * 7 % kWaiters));
    heap_.remove(*waiters[static_cast<std::size_t>(leaver)]);
    heap_.remove(*waiters[static_cast<std::size_t>(leaver)]);
    for (int tick = 0; tick < kWaiters; ++tick) {
      EXPECT_EQ(expire_one(tick), tick != leaver * 7 % kWaiters);
    }
    EXPECT_EQ(heap_.size(), 0U);
  }
}

TEST_F(TimerHeapTest, GivenAWaiterWhoseTimeHasComeWhenItLeavesAfterwardsThenNothingHappens) {
  Waiter& first = add(1);
  add(2);
  EXPECT_TRUE(expire_one(1));
  heap_.remove(first);
  EXPECT_EQ(heap_.size(), 1U);
  EXPECT_EQ(heap_.earliest(), at(2));
}

TEST_F(TimerHeapTest, GivenRandomOperationsWhenComparedWithAMapThenTheyAgree) {
  std::mt19937 random(12345);
  std::map<Deadline, Waiter*> expected;
  for (int step = 0; step < 20000; ++step) {
    const int tick = static_cast<int>(random() % 1000000);
    if (const auto choice = random() % 8; choice < 4) {
      // Each deadline once, so that it is known whose time has come.
      if (!expected.contains(at(tick))) expected.emplace(at(tick), &add(tick));
    } else if (choice < 6 && !expected.empty()) {
      auto leaver = expected.lower_bound(at(tick));
      if (leaver == expected.end()) leaver = expected.begin();
      heap_.remove(*leaver->second);
      expected.erase(leaver);
    } else {
      const bool due = !expected.empty() && expected.begin()->first <= at(tick / 10);
      EXPECT_EQ(expire_one(tick / 10), due);
      if (due) expected.erase(expected.begin());
    }
    ASSERT_EQ(heap_.size(), expected.size());
    ASSERT_EQ(heap_.earliest(), expected.empty() ? Deadline::max() : expected.begin()->first);
  }
}

}  // namespace
}  // namespace kumiko::runtime::detail
