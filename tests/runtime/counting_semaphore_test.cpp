// Contract: a CountingSemaphore gives out each permit once, to those who wait in the order of their
// arrival; a permit that meets a time-out goes to that waiter or to the next one, but is not lost.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <kumiko/runtime/counting_semaphore.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;

class CountingSemaphoreTest : public OnWorkers {};
KUMIKO_ON_WORKERS(CountingSemaphoreTest);

int drain(CountingSemaphore& semaphore) {
  int permits = 0;
  while (semaphore.try_acquire()) ++permits;
  return permits;
}

TEST_P(CountingSemaphoreTest, GivenPermitsWhenTriedThenAsManySucceed) {
  runtime_.run([] {
    CountingSemaphore semaphore(3);
    EXPECT_EQ(drain(semaphore), 3);
    semaphore.release(2);
    EXPECT_EQ(drain(semaphore), 2);
  });
}

TEST_P(CountingSemaphoreTest, GivenThreePermitsWhenManyEnterThenAtMostThreeAreInside) {
  constexpr int kPermits = 3;
  CountingSemaphore semaphore(kPermits);
  std::atomic<int> inside{0};
  run_in_both_kinds(runtime_, 20, 3, [&] {
    for (int i = 0; i < 20; ++i) {
      semaphore.acquire();
      EXPECT_LE(++inside, kPermits);
      this_thread::yield();
      --inside;
      semaphore.release();
    }
  });
  EXPECT_EQ(drain(semaphore), kPermits);
}

TEST(CountingSemaphoreOrder, GivenWaitersInARowWhenReleasedThenTheyGetPermitsInOrderOfArrival) {
  Runtime runtime({.workers = 1});
  std::vector<int> order;
  runtime.run([&] {
    CountingSemaphore semaphore(0);
    TaskGroup group;
    for (int i = 0; i < 5; ++i) {
      group.run([&, i] {
        semaphore.acquire();
        order.push_back(i);
      });
    }
    for (int i = 0; i < 5; ++i) {
      semaphore.release();
      // Handed over: the permit does not become free for those who come later.
      EXPECT_FALSE(semaphore.try_acquire());
      this_thread::yield();
    }
    group.wait();
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_P(CountingSemaphoreTest, GivenMoreWaitersThanPermitsWhenTheyComeOneByOneThenEachLetsOnePass) {
  constexpr int kLightweight = 12;
  constexpr int kOs = 3;
  constexpr int kReleases = 10;
  CountingSemaphore semaphore(0);
  std::atomic<int> begun{0};
  std::atomic<int> passed{0};
  std::thread releaser([&] {
    while (begun != kLightweight + kOs) std::this_thread::yield();
    for (int i = 1; i <= kReleases; ++i) {
      semaphore.release();
      while (passed < i) std::this_thread::yield();
      EXPECT_EQ(passed, i);
    }
    EXPECT_FALSE(semaphore.try_acquire());
    EXPECT_EQ(passed, kReleases);
    semaphore.release(kLightweight + kOs - kReleases);
  });
  run_in_both_kinds(runtime_, kLightweight, kOs, [&] {
    ++begun;
    semaphore.acquire();
    ++passed;
  });
  releaser.join();
  EXPECT_EQ(passed, kLightweight + kOs);
  EXPECT_EQ(drain(semaphore), 0);
}

TEST_P(CountingSemaphoreTest, GivenWaitersWhenMorePermitsComeAtOnceThenAllPassAndTheRestIsLeft) {
  runtime_.run([] {
    CountingSemaphore semaphore(0);
    TaskGroup group;
    for (int i = 0; i < 5; ++i) group.run([&] { semaphore.acquire(); });
    semaphore.release(8);
    group.wait();
    EXPECT_EQ(drain(semaphore), 3);
  });
}

TEST_P(CountingSemaphoreTest, GivenNoPermitWhenItsTimeRunsOutThenFalseAndNotBefore) {
  CountingSemaphore semaphore(0);
  run_in_both_kinds(runtime_, 1, 1, [&] {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(semaphore.try_acquire_for(2ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
    const auto time = std::chrono::system_clock::now() + 2ms;
    EXPECT_FALSE(semaphore.try_acquire_until(time));
    EXPECT_GE(std::chrono::system_clock::now(), time);
  });
}

TEST_P(CountingSemaphoreTest, GivenAPermitAndTimePassedWhenTriedThenItIsTakenAllTheSame) {
  CountingSemaphore semaphore(4);
  run_in_both_kinds(runtime_, 1, 1, [&] {
    EXPECT_TRUE(semaphore.try_acquire_for(-1s));
    EXPECT_TRUE(semaphore.try_acquire_until(std::chrono::steady_clock::time_point::min()));
  });
}

TEST_P(CountingSemaphoreTest, GivenLongTimedWaitsWhenReleasedThenTheyEndAtOnce) {
  CountingSemaphore semaphore(0);
  std::thread releaser([&] { semaphore.release(6); });
  run_in_both_kinds(runtime_, 4, 2, [&] { EXPECT_TRUE(semaphore.try_acquire_for(1h)); });
  releaser.join();
}

TEST_P(CountingSemaphoreTest, GivenATimedWaiterInFrontWhenItHasGivenUpThenTheNextGetsThePermit) {
  runtime_.run([] {
    CountingSemaphore semaphore(0);
    Thread impatient([&] { EXPECT_FALSE(semaphore.try_acquire_for(1ms)); });
    Thread patient([&] { semaphore.acquire(); });
    impatient.join();
    semaphore.release();
    patient.join();
    EXPECT_FALSE(semaphore.try_acquire());
  });
}

TEST_P(CountingSemaphoreTest, GivenTimeoutsThatMeetReleasesWhenAllIsOverThenEveryPermitIsCounted) {
  constexpr int kRounds = kSanitized ? 30 : 60;
  CountingSemaphore semaphore(0);
  std::atomic<int> released{0};
  std::atomic<int> acquired{0};
  std::atomic<int> seed{0};
  run_in_both_kinds(runtime_, 6, 2, [&] {
    const bool releases = seed++ % 2 == 0;
    for (int i = 0; i < kRounds; ++i) {
      if (releases) {
        this_thread::sleep_for(std::chrono::microseconds(i * 7 % 50));
        semaphore.release();
        ++released;
      } else if (semaphore.try_acquire_for(std::chrono::microseconds(i * 13 % 60))) {
        ++acquired;
      }
    }
  });
  EXPECT_EQ(acquired + drain(semaphore), released);
}

TEST_P(CountingSemaphoreTest, GivenAPermitForTwoWhoseTimeRunsOutWhenReleasedThenThenOneIsLucky) {
  constexpr int kRounds = kSanitized ? 15 : 30;
  runtime_.run([] {
    for (int i = 0; i < kRounds; ++i) {
      CountingSemaphore semaphore(0);
      const auto time = std::chrono::steady_clock::now() + 100us;
      std::atomic<int> lucky{0};
      TaskGroup group;
      for (int waiter = 0; waiter < 2; ++waiter) {
        group.run([&] { lucky += semaphore.try_acquire_until(time) ? 1 : 0; });
      }
      while (std::chrono::steady_clock::now() < time) this_thread::poll();
      semaphore.release();
      group.wait();
      EXPECT_EQ(lucky + drain(semaphore), 1);
    }
  });
}

TEST_P(CountingSemaphoreTest, GivenTheLastAcquireWhenItsCallerDestroysItThenReleaseDoesNotTouchIt) {
  runtime_.run([] {
    for (int i = 0; i < 100; ++i) {
      auto semaphore = std::make_unique<BinarySemaphore>(0);
      Thread releaser([&semaphore = *semaphore] {
        this_thread::yield();
        semaphore.release();
      });
      semaphore->acquire();
      semaphore.reset();
      releaser.join();
    }
  });
}

TEST(CountingSemaphoreBetween, GivenThreadsOfTwoRuntimesWhenTheyWaitWithTimesThenNoTurnIsLost) {
  constexpr int kTurns = kSanitized ? 30 : 100;
  Runtime here({.workers = 1});
  Runtime there({.workers = 2});
  CountingSemaphore ping(0);
  CountingSemaphore pong(0);
  std::thread other([&] {
    there.run([&] {
      for (int i = 0; i < kTurns; ++i) {
        while (!ping.try_acquire_for(20us)) this_thread::yield();
        pong.release();
      }
    });
  });
  here.run([&] {
    for (int i = 0; i < kTurns; ++i) {
      ping.release();
      EXPECT_TRUE(pong.try_acquire_for(1h));
    }
  });
  other.join();
  EXPECT_FALSE(ping.try_acquire());
}

TEST(CountingSemaphoreOutside, GivenOsThreadsOnlyWhenTheyTakeTurnsThenNoTurnIsLost) {
  BinarySemaphore ping(0);
  BinarySemaphore pong(0);
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      ping.acquire();
      pong.release();
    }
  });
  for (int i = 0; i < 100; ++i) {
    ping.release();
    EXPECT_TRUE(pong.try_acquire_for(1h));
  }
  other.join();
}

TEST(CountingSemaphoreMisuse, GivenANumberThatCannotBeWhenConstructedThenInvalidArgument) {
  EXPECT_THROW(CountingSemaphore(-1), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::runtime::test
