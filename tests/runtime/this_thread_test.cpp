// Contract: a sleeping lightweight thread leaves its worker to others and wakes when its time has
// come, never before; a thread has the name it was given last, in its own time only.
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class SleepTest : public OnWorkers {};
KUMIKO_ON_WORKERS(SleepTest);
class ThisThreadTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ThisThreadTest);

TEST_P(SleepTest, GivenBothKindsOfThreadsWhenTheySleepThenNoneWakesBeforeItsTime) {
  run_in_both_kinds(runtime_, 20, 3, [] {
    const auto begin = Clock::now();
    this_thread::sleep_for(2ms);
    EXPECT_GE(Clock::now() - begin, 2ms);
    const auto time = std::chrono::system_clock::now() + 2ms;
    this_thread::sleep_until(time);
    EXPECT_GE(std::chrono::system_clock::now(), time);
  });
}

TEST_P(SleepTest, GivenMomentsCloseTogetherWhenThreadsSleepUntilThemThenNoneWakesBeforeIts) {
  // However late the timer wakes, there are others that are due soon.
  runtime_.run([] {
    const auto begin = Clock::now();
    TaskGroup group;
    for (int i = 0; i < 200; ++i) {
      group.run([moment = begin + i * 500us] {
        this_thread::sleep_until(moment);
        EXPECT_GE(Clock::now(), moment);
      });
    }
    group.wait();
  });
}

TEST_P(SleepTest, GivenNoTimeOrTimePassedWhenSleepingThenItReturns) {
  run_in_both_kinds(runtime_, 2, 2, [] {
    this_thread::sleep_for(0s);
    this_thread::sleep_for(-1h);
    this_thread::sleep_for(std::chrono::hours::min());
    this_thread::sleep_until(Clock::time_point::min());
    this_thread::sleep_until(std::chrono::system_clock::now() - 1h);
  });
}

TEST(SleepOnOneWorker, GivenAThousandSleepersWhenTheySleepThenTheyDoSoAtTheSameTime) {
  constexpr int kSleepers = kThreadSanitizer ? 100 : 1000;
  Runtime runtime({.workers = 1});
  const auto begin = Clock::now();
  runtime.run([] {
    TaskGroup group;
    for (int i = 0; i < kSleepers; ++i) group.run([] { this_thread::sleep_for(50ms); });
    group.wait();
  });
  // One after the other they would need 50 s, or 5 s.
  EXPECT_LT(Clock::now() - begin, kSleepers * 50ms / 2);
}

TEST(SleepOnOneWorker, GivenASleeperWhenOthersHaveWorkThenTheyDoItMeanwhile) {
  Runtime runtime({.workers = 1});
  runtime.run([] {
    std::atomic<bool> awake{false};
    Thread sleeper([&] {
      this_thread::sleep_for(10ms);
      awake = true;
    });
    EXPECT_FALSE(awake);
    sleeper.join();
    EXPECT_TRUE(awake);
  });
}

TEST(SleepOnOneWorker, GivenAComputationThatPollsWhenASleepersTimeComesThenItGoesOn) {
  Runtime runtime({.workers = 1});
  runtime.run([] {
    std::atomic<bool> awake{false};
    Thread sleeper([&] {
      this_thread::sleep_for(1ms);
      awake = true;
    });
    while (!awake) this_thread::poll();
    sleeper.join();
  });
}

TEST(SleepOnOneWorker, GivenSleepersUntilVariousTimesWhenTheyWakeThenInThatOrder) {
  constexpr int kSleepers = 20;
  Runtime runtime({.workers = 1});
  const auto wake = [&](Clock::duration gap) {
    std::vector<int> order;
    runtime.run([&] {
      const auto first = Clock::now() + 100 * gap;
      TaskGroup group;
      for (int i = 0; i < kSleepers; ++i) {
        const int place = i * 7 % kSleepers;
        group.run([&order, first, place, gap] {
          this_thread::sleep_until(first + place * gap);
          order.push_back(place);
        });
      }
      group.wait();
    });
    return order;
  };
  std::vector<int> expected(kSleepers);
  std::iota(expected.begin(), expected.end(), 0);
  // Those who wake them are OS threads: on a busy machine one may be kept from it for a while.
  std::vector<int> order;
  for (auto gap = 100us; gap < 50ms && order != expected; gap *= 2) order = wake(gap);
  EXPECT_EQ(order, expected);
}

TEST_P(SleepTest, GivenOneThatSleepsLongWhenAnotherComesWithAnEarlierTimeThenItDoesNotWakeWithIt) {
  runtime_.run([] {
    // Once more, and longer, where the machine stood still meanwhile.
    bool woke_early = false;
    for (auto time = 50ms; !woke_early && time <= 800ms; time *= 2) {
      Thread sleeper([time] { this_thread::sleep_for(time); });
      // Until the keeper of time has gone to sleep over the long time.
      std::this_thread::sleep_for(time / 10);
      const auto begin = Clock::now();
      this_thread::sleep_for(1ms);
      woke_early = Clock::now() - begin < time / 2;
      sleeper.join();
    }
    EXPECT_TRUE(woke_early);
  });
}

TEST_P(SleepTest, GivenEveryWorkerComputesWithoutPollingWhenTimesComeThenNobodyIsForgotten) {
  runtime_.run([] {
    TaskGroup group;
    for (int i = 0; i < 20; ++i) {
      group.run([i] {
        this_thread::sleep_for(std::chrono::microseconds(i * 50));
        const auto end = Clock::now() + 200us;
        hold_worker_until([end] { return Clock::now() >= end; });
        this_thread::sleep_for(std::chrono::microseconds((20 - i) * 50));
      });
    }
    group.wait();
  });
}

TEST_P(SleepTest, GivenDetachedSleepersWhenTheRuntimeIsDestroyedThenItWaitsForThem) {
  std::atomic<int> awake{0};
  {
    Runtime runtime({.workers = GetParam()});
    runtime.run([&] {
      for (int i = 0; i < 10; ++i) {
        Thread([&] {
          this_thread::sleep_for(5ms);
          ++awake;
        }).detach();
      }
    });
  }
  EXPECT_EQ(awake, 10);
}

TEST_P(ThisThreadTest, GivenNoNameWhenAskedThenEmpty) {
  runtime_.run([] {
    EXPECT_EQ(this_thread::name(), "");
    Thread([] { EXPECT_EQ(this_thread::name(), ""); }).join();
  });
}

TEST_P(ThisThreadTest, GivenANameWhenTheThreadMovesThenItKeepsItAndOthersHaveTheirs) {
  runtime_.run([] {
    // 12 letters of two bytes each: the last one would be cut.
    this_thread::set_name(
        "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4");
    EXPECT_EQ(this_thread::name(),
              "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4");
    std::ostringstream printed;
    printed << this_thread::id();
    EXPECT_EQ(std::stoull(printed.str(), nullptr, 16), this_thread::id().value());
    EXPECT_EQ(std::hash<ThreadId>()(this_thread::id()), std::hash<ThreadId>()(this_thread::id()));
    this_thread::set_name("root");
    TaskGroup group;
    for (int i = 0; i < 10; ++i) {
      group.run([i] {
        EXPECT_EQ(this_thread::name(), "");
        this_thread::set_name(std::to_string(i));
        this_thread::yield();
        EXPECT_EQ(this_thread::name(), std::to_string(i));
        this_thread::set_name("");
        EXPECT_EQ(this_thread::name(), "");
      });
    }
    group.wait();
    EXPECT_EQ(this_thread::name(), "root");
  });
}

TEST_P(ThisThreadTest, GivenALongNameWhenSetThenItsFirst23BytesAreKept) {
  runtime_.run([] {
    this_thread::set_name("12345678901234567890123");
    EXPECT_EQ(this_thread::name(), "12345678901234567890123");
    this_thread::set_name("abcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(this_thread::name(), "abcdefghijklmnopqrstuvw");
    this_thread::set_name("short");
    EXPECT_EQ(this_thread::name(), "short");
  });
}

TEST_P(ThisThreadTest, GivenThreadsWithNamesThatEndedWhenARunBeginsThenItHasNoneOfThem) {
  // So many at once that their stacks go back to where runs take theirs from.
  constexpr int kThreads = kThreadSanitizer ? 150 : 400;
  runtime_.run([] {
    Latch all_named(kThreads);
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&] {
        this_thread::set_name("a name of the past");
        all_named.arrive_and_wait();
      });
    }
    group.wait();
  });
  for (int i = 0; i < 20; ++i) runtime_.run([] { EXPECT_EQ(this_thread::name(), ""); });
}

TEST(ThisThreadOutside, GivenAnOsThreadWhenNamedOrPolledThenNothingHappens) {
  this_thread::set_name("nobody");
  EXPECT_EQ(this_thread::name(), "");
  this_thread::poll();
}

}  // namespace
}  // namespace kumiko::runtime::test
