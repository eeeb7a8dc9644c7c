// Contract: yield lets every other runnable thread of the worker go first, in turn; nobody starves,
// neither those that yield nor what comes from outside.
#include <atomic>
#include <thread>
#include <vector>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class YieldTest : public OnWorkers {};
KUMIKO_ON_WORKERS(YieldTest);

TEST(YieldOrder, GivenOneWorkerWhenThreadsYieldInALoopThenTheyTakeTurns) {
  constexpr int kThreads = 5;
  constexpr int kTurns = 100;
  Runtime runtime({.workers = 1});
  std::vector<int> turns;
  runtime.run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&turns, i] {
        this_thread::yield();
        for (int turn = 0; turn < kTurns; ++turn) {
          turns.push_back(i);
          this_thread::yield();
        }
      });
    }
    group.wait();
  });
  ASSERT_EQ(turns.size(), static_cast<std::size_t>(kThreads * kTurns));
  for (std::size_t i = 0; i < turns.size(); ++i)
    EXPECT_EQ(turns[i], static_cast<int>(i) % kThreads);
}

TEST_P(YieldTest, GivenAThreadThatPollsAndYieldsWhenAnotherSetsItsFlagThenItEnds) {
  runtime_.run([] {
    std::atomic<bool> flag{false};
    Thread poller([&] {
      while (!flag) this_thread::yield();
    });
    flag = true;
    poller.join();
  });
}

TEST_P(YieldTest, GivenPollersOnEveryWorkerWhenAnOsThreadSubmitsThenItsWorkRuns) {
  std::atomic<bool> flag{false};
  std::thread submitter([&] { runtime_.run([&] { flag = true; }); });
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < 2 * runtime_.workers(); ++i) {
      group.run([&] {
        while (!flag) this_thread::yield();
      });
    }
    group.wait();
  });
  submitter.join();
}

TEST(YieldFairness, GivenTwoThreadsThatWakeEachOtherForEverWhenAThirdYieldedThenItGoesOn) {
  Runtime runtime({.workers = 1});
  runtime.run([] {
    std::atomic<bool> stop{false};
    Mutex mutex;
    ConditionVariable changed;
    int turn = 0;
    const auto play = [&](int me) {
      std::unique_lock lock(mutex);
      while (!stop) {
        changed.wait(lock, [&] { return turn == me || stop; });
        turn = 1 - me;
        changed.notify_all();
      }
    };
    TaskGroup group;
    group.run([&] {
      this_thread::yield();
      this_thread::yield();
      const std::lock_guard lock(mutex);
      stop = true;
      changed.notify_all();
    });
    group.run([&] { play(0); });
    group.run([&] { play(1); });
    group.wait();
  });
}

TEST(YieldOutside, GivenAnOsThreadWhenItYieldsThenNothingHappens) { this_thread::yield(); }

}  // namespace
}  // namespace kumiko::runtime::test
