// Contract: a Latch lets everybody pass once its count is zero, lightweight threads and OS threads,
// and may be destroyed by whoever has passed.
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class LatchTest : public OnWorkers {};
KUMIKO_ON_WORKERS(LatchTest);

TEST_P(LatchTest, GivenThreadsThatArriveAndWaitWhenTheLastArrivesThenAllHaveArrived) {
  constexpr int kThreads = 30;
  std::atomic<int> arrived{0};
  runtime_.run([&] {
    Latch latch(kThreads);
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&] {
        ++arrived;
        latch.arrive_and_wait();
        EXPECT_EQ(arrived, kThreads);
      });
    }
    group.wait();
    EXPECT_TRUE(latch.try_wait());
  });
}

TEST_P(LatchTest, GivenACountWhenLoweredInStepsThenItOpensAtZeroOnly) {
  runtime_.run([] {
    Latch latch(3);
    latch.count_down(2);
    EXPECT_FALSE(latch.try_wait());
    latch.count_down();
    EXPECT_TRUE(latch.try_wait());
    latch.wait();
  });
}

TEST_P(LatchTest, GivenOsThreadsThatWaitWhenALightweightThreadCountsDownThenTheyPass) {
  Latch latch(1);
  std::atomic<int> passed{0};
  std::vector<std::thread> os_threads;
  for (int i = 0; i < 3; ++i) {
    os_threads.emplace_back([&] {
      latch.wait();
      ++passed;
    });
  }
  runtime_.run([&] { latch.count_down(); });
  for (std::thread& os_thread : os_threads) os_thread.join();
  EXPECT_EQ(passed, 3);
}

TEST_P(LatchTest, GivenMoreWaitersThanItsCountWhenCountedDownOneByOneThenAllPassAtTheLast) {
  constexpr int kCount = 3;
  constexpr int kLightweight = 12;
  constexpr int kOs = 3;
  Latch latch(kCount);
  std::atomic<int> begun{0};
  std::atomic<int> passed{0};
  std::atomic<int> counted{0};
  std::thread counter([&] {
    while (begun != kLightweight + kOs) std::this_thread::yield();
    while (counted < kCount) {
      EXPECT_EQ(passed, 0);
      ++counted;
      latch.count_down();
    }
  });
  run_in_both_kinds(runtime_, kLightweight, kOs, [&] {
    ++begun;
    latch.wait();
    EXPECT_EQ(counted, kCount);
    ++passed;
  });
  counter.join();
  EXPECT_EQ(passed, kLightweight + kOs);
}

TEST_P(LatchTest, GivenALightweightThreadThatWaitsWhenAnOsThreadCountsDownThenItPasses) {
  Latch latch(1);
  std::thread os_thread([&] { latch.count_down(); });
  runtime_.run([&] { latch.wait(); });
  os_thread.join();
}

TEST_P(LatchTest, GivenAWaiterThatHasPassedWhenItDestroysTheLatchThenTheCounterDoesNotTouchIt) {
  runtime_.run([] {
    for (int i = 0; i < 100; ++i) {
      std::optional<Latch> latch;
      latch.emplace(1);
      TaskGroup group;
      group.run([&latch] {
        this_thread::yield();
        latch->count_down();
      });
      latch->wait();
      latch.reset();
      group.wait();
    }
  });
}

TEST(LatchMisuse, GivenANumberThatCannotBeWhenConstructedThenInvalidArgument) {
  EXPECT_THROW(Latch(-1), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::runtime::test
