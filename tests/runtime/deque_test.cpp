// Contract: the owner sees a stack, thieves see a queue, and every element is taken exactly once,
// whether it became public at the owner's hands or was seized.
#include "core/deque.hpp"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

/// A deque of numbers, small so that it grows.
class DequeTest : public testing::Test {
 protected:
  void push(int count) {
    for (int i = 0; i < count; ++i) deque_.push(&numbers_[i]);
  }
  int index(const int* element) const {
    return element == nullptr ? -1 : static_cast<int>(element - numbers_.data());
  }

  detail::AsymmetricBarrier barrier_;
  detail::Deque<int> deque_{2, barrier_};
  std::vector<int> numbers_ = std::vector<int>(1000);
};

TEST_F(DequeTest, GivenElementsWhenPoppedThenTheYoungestComesFirst) {
  push(3);
  for (const int expected : {2, 1, 0, -1}) EXPECT_EQ(index(deque_.pop()), expected);
}

TEST_F(DequeTest, GivenPushesPopsAndStealsWhenAskedForTheLongestThenItIsTheMostAtOnce) {
  EXPECT_EQ(deque_.longest(), 0U);
  push(5);
  while (deque_.pop() != nullptr) {
  }
  push(3);
  EXPECT_EQ(deque_.longest(), 5U);
  // Stolen ones do not count, wherever the indices have got to.
  for (int i = 0; i < 100; ++i) {
    push(1);
    EXPECT_NE(deque_.seize(), nullptr);
  }
  EXPECT_EQ(deque_.longest(), 5U);
  push(3);
  EXPECT_EQ(deque_.longest(), 6U);
}

TEST_F(DequeTest, GivenPrivateElementsWhenStolenThenNothingComes) {
  push(3);
  EXPECT_EQ(deque_.steal(), nullptr);
}

TEST_F(DequeTest, GivenSharedElementsWhenStolenThenTheOldestHalfComesInOrder) {
  push(4);
  EXPECT_TRUE(deque_.share());
  for (const int expected : {0, 1, -1}) EXPECT_EQ(index(deque_.steal()), expected);
  for (const int expected : {3, 2, -1}) EXPECT_EQ(index(deque_.pop()), expected);
}

TEST_F(DequeTest, GivenOnePrivateElementWhenSharedThenItIsPublic) {
  push(1);
  EXPECT_TRUE(deque_.share());
  EXPECT_FALSE(deque_.share());
  EXPECT_EQ(index(deque_.steal()), 0);
}

TEST_F(DequeTest, GivenPublicElementsWhenTheOwnerPopsThenItTakesThemBack) {
  push(5);
  while (deque_.share()) {
  }
  for (const int expected : {4, 3, 2, 1, 0, -1}) EXPECT_EQ(index(deque_.pop()), expected);
}

TEST_F(DequeTest, GivenPrivateElementsWhenSeizedThenTheOldestComesAndTheNextIsPublic) {
  push(4);
  EXPECT_EQ(index(deque_.seize()), 0);
  for (const int expected : {1, -1}) EXPECT_EQ(index(deque_.steal()), expected);
  for (const int expected : {3, 2, -1}) EXPECT_EQ(index(deque_.pop()), expected);
  EXPECT_EQ(deque_.seize(), nullptr);
}

TEST_F(DequeTest, GivenAnEmptyDequeWhenFilledAndEmptiedThenItSaysSo) {
  EXPECT_TRUE(deque_.empty());
  EXPECT_FALSE(deque_.share());
  push(1);
  EXPECT_FALSE(deque_.empty());
  deque_.pop();
  EXPECT_TRUE(deque_.empty());
}

TEST_F(DequeTest, GivenMoreElementsThanItsCapacityWhenPushedThenItGrowsAndKeepsThem) {
  push(1000);
  EXPECT_EQ(index(deque_.seize()), 0);
  for (int expected = 999; expected > 0; --expected) EXPECT_EQ(index(deque_.pop()), expected);
  EXPECT_TRUE(deque_.empty());
}

TEST_F(DequeTest, GivenAFullRingWithAStolenElementWhenPushedThenItsSlotIsUsedAgain) {
  push(2);
  EXPECT_EQ(index(deque_.seize()), 0);
  deque_.push(&numbers_[2]);
  for (const int expected : {2, 1, -1}) EXPECT_EQ(index(deque_.pop()), expected);
}

/// Which of the ways to take from the old end the thieves use.
struct Way {
  const char* name;
  bool asks;    ///< the owner shares when asked
  bool seizes;  ///< thieves take by force now and then
};

class DequeWithThieves : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Where, DequeWithThieves,
                         testing::Values(Way{"OwnerShares", true, false},
                                         Way{"ThievesSeize", false, true},
                                         Way{"BothHappens", true, true}),
                         [](const auto& way) { return std::string(way.param.name); });

TEST_P(DequeWithThieves, WhenTheOwnerPushesAndPopsThenEveryElementIsTakenExactlyOnce) {
  constexpr std::size_t kElements = kSanitized ? 2000 : 20'000;
  constexpr int kThieves = 3;
  std::vector<int> elements(kElements);
  std::vector<std::atomic<int>> taken(kElements);
  const auto take = [&](int* element) {
    if (element != nullptr) ++taken[static_cast<std::size_t>(element - elements.data())];
  };
  detail::AsymmetricBarrier barrier;
  detail::Deque<int> deque(2, barrier);
  std::atomic<bool> done{false};
  std::atomic<bool> asked{false};
  std::vector<std::thread> thieves;
  thieves.reserve(kThieves);
  for (int i = 0; i < kThieves; ++i) {
    thieves.emplace_back([&] {
      for (int turn = 0; !done; ++turn) {
        take(deque.steal());
        if (GetParam().seizes && turn % 4 == 0) take(deque.seize());
        if (GetParam().asks) asked = true;
      }
    });
  }
  // Bursts of changing length, so that the deque is often nearly empty and sometimes grows.
  for (std::size_t next = 0, burst = 0; next < kElements; burst = (burst + 1) % 9) {
    for (std::size_t i = 0; i <= burst && next < kElements; ++i) {
      deque.push(&elements[next++]);
      if (asked.exchange(false)) deque.share();
    }
    for (std::size_t i = 0; i < burst; ++i) take(deque.pop());
  }
  while (int* const element = deque.pop()) take(element);
  done = true;
  for (std::thread& thief : thieves) thief.join();
  for (std::size_t i = 0; i < kElements; ++i) ASSERT_EQ(taken[i], 1) << "element " << i;
}

}  // namespace
}  // namespace kumiko::runtime::test
