// Contract: the owner sees a stack, thieves see a queue, and every element is taken exactly once.
#include "deque.hpp"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using IntDeque = detail::Deque<int>;

TEST(Deque, GivenElements_WhenPopped_ThenTheYoungestComesFirst) {
  std::vector<int> numbers{0, 1, 2};
  IntDeque deque(2);
  for (int& number : numbers) deque.push(&number);
  EXPECT_EQ(deque.pop(), &numbers[2]);
  EXPECT_EQ(deque.pop(), &numbers[1]);
  EXPECT_EQ(deque.pop(), &numbers[0]);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST(Deque, GivenElements_WhenStolen_ThenTheOldestComesFirst) {
  std::vector<int> numbers{0, 1, 2};
  IntDeque deque(2);
  for (int& number : numbers) deque.push(&number);
  EXPECT_EQ(deque.steal(), &numbers[0]);
  EXPECT_EQ(deque.pop(), &numbers[2]);
  EXPECT_EQ(deque.steal(), &numbers[1]);
  EXPECT_EQ(deque.steal(), nullptr);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST(Deque, GivenAnEmptyDeque_WhenFilledAndEmptied_ThenItSaysSo) {
  int number = 0;
  IntDeque deque(2);
  EXPECT_TRUE(deque.empty());
  deque.push(&number);
  EXPECT_FALSE(deque.empty());
  deque.pop();
  EXPECT_TRUE(deque.empty());
}

TEST(Deque, GivenMoreElementsThanItsCapacity_WhenPushed_ThenItGrowsAndKeepsThem) {
  std::vector<int> numbers(1000);
  IntDeque deque(2);
  for (int& number : numbers) deque.push(&number);
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    EXPECT_EQ(deque.pop(), &*number);
  }
}

TEST(Deque, GivenThieves_WhenTheOwnerPushesAndPops_ThenEveryElementIsTakenExactlyOnce) {
  constexpr std::size_t kElements = kSanitized ? 2000 : 20'000;
  constexpr int kThieves = 3;
  std::vector<int> elements(kElements);
  std::vector<std::atomic<int>> taken(kElements);
  const auto take = [&](int* element) {
    if (element != nullptr) ++taken[static_cast<std::size_t>(element - elements.data())];
  };
  IntDeque deque(2);
  std::atomic<bool> done{false};
  std::vector<std::thread> thieves;
  thieves.reserve(kThieves);
  for (int i = 0; i < kThieves; ++i) {
    thieves.emplace_back([&] {
      while (!done) take(deque.steal());
    });
  }
  // Bursts of changing length, so that the deque is often nearly empty and sometimes grows.
  for (std::size_t next = 0, burst = 0; next < kElements; burst = (burst + 1) % 9) {
    for (std::size_t i = 0; i <= burst && next < kElements; ++i) deque.push(&elements[next++]);
    for (std::size_t i = 0; i < burst; ++i) take(deque.pop());
  }
  while (int* const element = deque.pop()) take(element);
  done = true;
  for (std::thread& thief : thieves) thief.join();
  for (std::size_t i = 0; i < kElements; ++i) ASSERT_EQ(taken[i], 1) << "element " << i;
}

}  // namespace
}  // namespace kumiko::runtime::test
