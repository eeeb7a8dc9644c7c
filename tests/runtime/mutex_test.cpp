// Contract: at most one thread owns a Mutex; unlock hands it to whoever has waited longest, unless
// that one's time has run out; its users may be lightweight threads of any runtime and OS threads.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;

class MutexTest : public OnWorkers {};
KUMIKO_ON_WORKERS(MutexTest);

TEST_P(MutexTest, GivenManyThreadsWhenTheyIncrementUnderTheLockThenNoIncrementIsLost) {
  constexpr int kThreads = 64;
  constexpr int kIncrements = 50;
  Mutex mutex;
  int count = 0;
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&] {
        for (int n = 0; n < kIncrements; ++n) {
          const std::lock_guard lock(mutex);
          ++count;
        }
      });
    }
    group.wait();
  });
  EXPECT_EQ(count, kThreads * kIncrements);
}

TEST_P(MutexTest, GivenOwnersThatYieldInsideWhenOthersEnterThenNobodyOverlaps) {
  Mutex mutex;
  std::atomic<int> inside{0};
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < 20; ++i) {
      group.run([&] {
        const std::scoped_lock lock(mutex);
        EXPECT_EQ(++inside, 1);
        this_thread::yield();
        EXPECT_EQ(--inside, 0);
      });
    }
    group.wait();
  });
}

TEST(MutexOrder, GivenWaitersInARowWhenUnlockedThenTheyGetItInTheOrderOfArrival) {
  Runtime runtime({.workers = 1});
  std::vector<int> order;
  runtime.run([&] {
    Mutex mutex;
    mutex.lock();
    TaskGroup group;
    for (int i = 0; i < 10; ++i) {
      group.run([&, i] {
        mutex.lock();
        order.push_back(i);
        mutex.unlock();
      });
    }
    mutex.unlock();
    // Handed over: the mutex does not become free for those who come later.
    EXPECT_FALSE(mutex.try_lock());
    group.wait();
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_P(MutexTest, GivenALockedMutexWhenTriedThenFalseAndTrueOnceFree) {
  runtime_.run([] {
    Mutex mutex;
    EXPECT_TRUE(mutex.try_lock());
    Thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  });
}

TEST_P(MutexTest, GivenOsThreadsAndLightweightOnesWhenTheyShareItThenNoIncrementIsLost) {
  constexpr int kIncrements = 100;
  Mutex mutex;
  int count = 0;
  const auto increment = [&] {
    for (int n = 0; n < kIncrements; ++n) {
      const std::lock_guard lock(mutex);
      ++count;
    }
  };
  std::vector<std::thread> os_threads;
  for (int i = 0; i < 3; ++i) os_threads.emplace_back(increment);
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < 5; ++i) group.run(increment);
    group.wait();
  });
  for (std::thread& os_thread : os_threads) os_thread.join();
  EXPECT_EQ(count, 8 * kIncrements);
}

TEST_P(MutexTest, GivenItsLastUserOwnsItWhenDestroyedAtOnceThenThePreviousOwnerDoesNotTouchIt) {
  runtime_.run([] {
    for (int i = 0; i < 50; ++i) {
      auto mutex = std::make_unique<Mutex>();
      mutex->lock();
      Thread previous([&mutex = *mutex] {
        mutex.lock();
        mutex.unlock();
      });
      mutex->unlock();
      mutex->lock();
      mutex->unlock();
      previous.join();
      mutex.reset();
    }
  });
}

TEST_P(MutexTest, GivenAnOwnerWhenTheTimeOfOthersRunsOutThenFalseAndNotBefore) {
  Mutex mutex;
  mutex.lock();
  run_in_both_kinds(runtime_, 2, 2, [&] {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(mutex.try_lock_for(2ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
    const auto time = std::chrono::system_clock::now() + 1ms;
    EXPECT_FALSE(mutex.try_lock_until(time));
    EXPECT_GE(std::chrono::system_clock::now(), time);
  });
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST_P(MutexTest, GivenAFreeMutexAndTimePassedWhenTriedThenItIsLocked) {
  runtime_.run([] {
    Mutex mutex;
    EXPECT_TRUE(mutex.try_lock_for(-1s));
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock_until(std::chrono::system_clock::now() - 1h));
    mutex.unlock();
  });
}

TEST_P(MutexTest, GivenTimedWaitersThatGiveUpWhenUnlockedThenThePatientOneGetsIt) {
  runtime_.run([] {
    Mutex mutex;
    mutex.lock();
    TaskGroup group;
    group.run([&] { EXPECT_FALSE(mutex.try_lock_for(1ms)); });
    Thread patient([&] {
      mutex.lock();
      mutex.unlock();
    });
    group.run([&] { EXPECT_FALSE(mutex.try_lock_for(1ms)); });
    group.wait();
    mutex.unlock();
    patient.join();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  });
}

TEST_P(MutexTest, GivenTimeoutsThatMeetUnlocksWhenAllIsOverThenNobodyOverlappedAndItIsFree) {
  constexpr int kRounds = kSanitized ? 30 : 100;
  Mutex mutex;
  int count = 0;
  std::atomic<int> locked{0};
  std::atomic<int> seed{0};
  run_in_both_kinds(runtime_, 6, 2, [&] {
    const int me = seed++;
    for (int i = 0; i < kRounds; ++i) {
      const bool timed = (me + i) % 3 != 0;
      const std::chrono::microseconds patience((me + i) * 7 % 40);
      if (timed && !mutex.try_lock_for(patience)) continue;
      if (!timed) mutex.lock();
      ++locked;
      ++count;
      this_thread::yield();
      mutex.unlock();
    }
  });
  EXPECT_EQ(count, locked);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

}  // namespace
}  // namespace kumiko::runtime::test
