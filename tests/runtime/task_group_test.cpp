// Contract: wait returns when every thread of the group has ended, those added by its threads
// included; the group may be reused or destroyed right then.
#include <atomic>
#include <memory>
#include <stdexcept>

#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class TaskGroupTest : public OnWorkers {};
KUMIKO_ON_WORKERS(TaskGroupTest);

int fibonacci_of_groups(int n) {
  if (n < 2) return n;
  int left = 0;
  TaskGroup group;
  group.run([&left, n] { left = fibonacci_of_groups(n - 1); });
  const int right = fibonacci_of_groups(n - 2);
  group.wait();
  return left + right;
}

/// Adds a binary tree of threads to the group of the caller's thread.
void grow(TaskGroup& group, int depth, std::atomic<int>& leaves) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  for (int child = 0; child < 2; ++child) {
    group.run([&group, depth, &leaves] { grow(group, depth - 1, leaves); });
  }
  if (depth % 3 == 0) this_thread::yield();
}

TEST_P(TaskGroupTest, GivenNestedGroupsWhenWaitedForThenTheSumIsRight) {
  runtime_.run([] {
    EXPECT_EQ(fibonacci_of_groups(kThreadSanitizer ? 12 : 20), kThreadSanitizer ? 144 : 6765);
  });
}

TEST_P(TaskGroupTest, GivenAnEmptyGroupWhenWaitedForThenItReturnsAtOnce) {
  runtime_.run([] {
    TaskGroup group;
    group.wait();
    group.wait();
  });
}

TEST_P(TaskGroupTest, GivenThreadsThatAddThreadsWhenWaitedForThenAllHaveEnded) {
  std::atomic<int> leaves{0};
  runtime_.run([&] {
    TaskGroup group;
    group.run([&] { grow(group, 8, leaves); });
    group.wait();
    EXPECT_EQ(leaves, 256);
  });
}

TEST_P(TaskGroupTest, GivenAGroupWhenReusedThenEachWaitCoversItsOwnThreads) {
  runtime_.run([] {
    TaskGroup group;
    std::atomic<int> ended{0};
    for (int round = 1; round <= 20; ++round) {
      for (int i = 0; i < 5; ++i) {
        group.run([&ended, i] {
          if (i % 2 == 0) this_thread::yield();
          ++ended;
        });
      }
      group.wait();
      EXPECT_EQ(ended, 5 * round);
    }
  });
}

TEST_P(TaskGroupTest, GivenLiveThreadsWhenTheGroupIsDestroyedThenItWaitsForThem) {
  runtime_.run([] {
    std::atomic<int> ended{0};
    {
      TaskGroup group;
      for (int i = 0; i < 10; ++i) {
        group.run([&ended] {
          this_thread::yield();
          ++ended;
        });
      }
    }
    EXPECT_EQ(ended, 10);
  });
}

TEST_P(TaskGroupTest, GivenThreadsThatEndLateWhenDestroyedRightAfterWaitThenNobodyTouchesIt) {
  constexpr int kRounds = kSanitized ? 100 : 500;
  runtime_.run([] {
    for (int round = 0; round < kRounds; ++round) {
      auto group = std::make_unique<TaskGroup>();
      for (int i = 0; i < 4; ++i) {
        group->run([i] {
          for (int turn = 0; turn < i; ++turn) this_thread::yield();
        });
      }
      group->wait();
      group.reset();
    }
  });
}

TEST_P(TaskGroupTest, GivenAnotherThreadWhenItWaitsThenLogicError) {
  runtime_.run([] {
    TaskGroup group;
    Thread([&group] { EXPECT_THROW(group.wait(), std::logic_error); }).join();
    group.wait();
  });
}

TEST(TaskGroupMisuse, GivenAnOsThreadWhenItConstructsAGroupThenLogicError) {
  EXPECT_THROW(TaskGroup(), std::logic_error);
}

TEST_P(TaskGroupTest, GivenACancelledGroupWhenRunThenNothingStartsUntilItHasBeenWaitedFor) {
  runtime_.run([] {
    TaskGroup group;
    std::atomic<int> runs{0};
    group.run([&] {
      ++runs;
      while (!group.cancelled()) this_thread::yield();
    });
    group.cancel();
    group.run([&runs] { ++runs; });
    group.wait();
    EXPECT_EQ(runs, 1);
    EXPECT_FALSE(group.cancelled());
    group.run([&runs] { ++runs; });
    group.wait();
    EXPECT_EQ(runs, 2);
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
