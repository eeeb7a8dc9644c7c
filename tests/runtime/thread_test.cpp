// Contract: a Thread runs its function once, at once, on the worker that spawned it; join waits for
// its end and makes its effects visible; a handle is used up by join or detach and must be; a
// function that takes a stop token learns that its handle asks it to stop.
#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class ThreadTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ThreadTest);

int fibonacci(int n) {
  if (n < 2) return n;
  int left = 0;
  Thread child([&left, n] { left = fibonacci(n - 1); });
  const int right = fibonacci(n - 2);
  child.join();
  return left + right;
}

TEST_P(ThreadTest, GivenAThreadWhenJoinedThenItsResultIsThere) {
  int result = 0;
  runtime_.run([&] {
    Thread thread([&result] { result = 42; });
    EXPECT_TRUE(thread.joinable());
    thread.join();
    EXPECT_FALSE(thread.joinable());
    EXPECT_EQ(result, 42);
  });
}

TEST_P(ThreadTest, GivenNestedSpawnsWhenJoinedThenTheSumIsRight) {
  runtime_.run(
      [] { EXPECT_EQ(fibonacci(kThreadSanitizer ? 12 : 20), kThreadSanitizer ? 144 : 6765); });
}

TEST(ThreadOrder, GivenOneWorkerWhenSpawningThenTheChildRunsBeforeTheParentGoesOn) {
  Runtime runtime({.workers = 1});
  std::vector<int> order;
  runtime.run([&] {
    order.push_back(0);
    Thread thread([&] { order.push_back(1); });
    order.push_back(2);
    thread.join();
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST_P(ThreadTest, GivenAMoveOnlyClosureWhenSpawnedThenItIsMovedAndDestroyedOnce) {
  const auto shared = std::make_shared<int>(7);
  std::weak_ptr<int> seen;
  runtime_.run([&] {
    auto owned = std::make_unique<std::shared_ptr<int>>(shared);
    Thread thread([owned = std::move(owned), &seen] { seen = *owned; });
    thread.join();
    EXPECT_EQ(seen.lock(), shared);
    EXPECT_EQ(shared.use_count(), 1);
  });
}

TEST_P(ThreadTest, GivenManyHandlesWhenMovedAndJoinedThenEachThreadRanOnce) {
  std::array<std::atomic<int>, 100> runs{};
  runtime_.run([&] {
    std::vector<Thread> threads;
    threads.reserve(runs.size());
    for (auto& run : runs) threads.emplace_back([&run] { ++run; });
    for (Thread& thread : threads) thread.join();
  });
  for (const auto& run : runs) EXPECT_EQ(run, 1);
}

TEST_P(ThreadTest, GivenTwoLiveThreadsWhenAskedForTheirIdsThenTheyDiffer) {
  runtime_.run([] {
    ThreadId child_id;
    Thread thread([&child_id] { child_id = this_thread::id(); });
    EXPECT_NE(thread.id(), ThreadId());
    EXPECT_NE(thread.id(), this_thread::id());
    const ThreadId handle_id = thread.id();
    thread.join();
    EXPECT_EQ(handle_id, child_id);
    EXPECT_EQ(thread.id(), ThreadId());
  });
}

TEST_P(ThreadTest, GivenAWorkerWhenAskedForItsIndexThenItIsWithinBounds) {
  runtime_.run([this] {
    EXPECT_GE(this_thread::worker_index(), 0);
    EXPECT_LT(this_thread::worker_index(), runtime_.workers());
  });
  EXPECT_EQ(this_thread::worker_index(), -1);
  EXPECT_EQ(this_thread::id(), ThreadId());
}

TEST_P(ThreadTest, GivenDetachedThreadsWhenTheRuntimeIsDestroyedThenAllHaveEnded) {
  std::atomic<int> ended{0};
  {
    Runtime runtime({.workers = GetParam()});
    runtime.run([&] {
      for (int i = 0; i < 20; ++i) {
        Thread([&ended] {
          this_thread::yield();
          ++ended;
        }).detach();
      }
    });
  }
  EXPECT_EQ(ended, 20);
}

TEST_P(ThreadTest, GivenAHandleGivenToAnOsThreadWhenJoinedThereThenItWaitsForTheEnd) {
  std::atomic<bool> may_end{false};
  std::atomic<bool> has_ended{false};
  Thread thread;
  runtime_.run([&] {
    thread = Thread([&] {
      while (!may_end) this_thread::yield();
      has_ended = true;
    });
  });
  may_end = true;
  thread.join();
  EXPECT_TRUE(has_ended);
}

TEST_P(ThreadTest, GivenAClosureLargerThanAStackWhenSpawnedThenLengthErrorAndTheNextOneWorks) {
  struct Large {
    std::array<char, 4096> bytes{};
    void operator()() const {}
  };
  Runtime runtime({.workers = GetParam(), .stack_size = 16 * 1024});
  runtime.run([] {
    EXPECT_NO_THROW(Thread(Large{}).join());
    struct TooLarge {
      std::array<char, 16 * 1024> bytes{};
      void operator()() const {}
    };
    static const TooLarge too_large;
    EXPECT_THROW(Thread{too_large}, std::length_error);
    EXPECT_NO_THROW(Thread(Large{}).join());
  });
}

TEST_P(ThreadTest, GivenAClosureWhoseCopyThrowsWhenSpawnedThenTheExceptionArrivesAndNothingRuns) {
  struct Uncopyable {
    Uncopyable() = default;
    Uncopyable(const Uncopyable&) { throw std::runtime_error("copy"); }
    void operator()() const { FAIL(); }
  };
  runtime_.run([] {
    const Uncopyable closure;
    for (int i = 0; i < 200; ++i) EXPECT_THROW(Thread{closure}, std::runtime_error);
  });
}

TEST_P(ThreadTest, GivenAFunctionThatTakesAStopTokenWhenAStopIsRequestedThenItSeesIt) {
  runtime_.run([] {
    Thread thread([](const std::stop_token& stop) {
      EXPECT_TRUE(stop.stop_possible());
      while (!stop.stop_requested()) this_thread::yield();
    });
    EXPECT_TRUE(thread.get_stop_token().stop_possible());
    EXPECT_TRUE(thread.request_stop());
    EXPECT_FALSE(thread.request_stop());
    thread.join();
    EXPECT_TRUE(thread.get_stop_source().stop_requested());
  });
}

TEST_P(ThreadTest, GivenAHandleThatWasMovedAndSwappedWhenAStopIsRequestedThenTheRightOneStops) {
  runtime_.run([] {
    std::array<std::atomic<bool>, 2> stopped{};
    const auto run_until_stop = [&](std::size_t i) {
      return Thread([&stopped, i](const std::stop_token& stop) {
        while (!stop.stop_requested()) this_thread::yield();
        stopped[i] = true;
      });
    };
    Thread first = run_until_stop(0);
    Thread second = run_until_stop(1);
    first.swap(second);
    Thread moved = std::move(first);
    EXPECT_FALSE(first.get_stop_token().stop_possible());
    EXPECT_FALSE(first.request_stop());
    EXPECT_TRUE(moved.request_stop());
    moved.join();
    EXPECT_TRUE(stopped[1]);
    EXPECT_FALSE(stopped[0]);
    moved = std::move(second);
    EXPECT_TRUE(moved.request_stop());
    moved.join();
    EXPECT_TRUE(stopped[0]);
  });
}

TEST_P(ThreadTest, GivenAThreadThatWaitsWithItsStopTokenWhenAStopIsRequestedThenItEnds) {
  runtime_.run([] {
    Mutex mutex;
    ConditionVariable never;
    Thread thread([&](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      EXPECT_FALSE(never.wait(lock, stop, [] { return false; }));
    });
    thread.request_stop();
    thread.join();
  });
}

TEST_P(ThreadTest, GivenAStopRequestedByAnOsThreadWhenTheThreadPollsThenItEnds) {
  Thread thread;
  runtime_.run([&] {
    thread = Thread([](const std::stop_token& stop) {
      while (!stop.stop_requested()) this_thread::yield();
    });
  });
  EXPECT_TRUE(thread.request_stop());
  thread.join();
}

TEST_P(ThreadTest, GivenAFunctionThatTakesNoTokenWhenAStopIsRequestedThenFalse) {
  runtime_.run([] {
    Thread thread([] {});
    EXPECT_FALSE(thread.get_stop_token().stop_possible());
    EXPECT_FALSE(thread.request_stop());
    thread.join();
  });
}

TEST_P(ThreadTest, GivenAMoveOnlyFunctionThatTakesATokenWhenSpawnedThenItIsMoved) {
  runtime_.run([] {
    int result = 0;
    Thread thread([&result, owned = std::make_unique<int>(4)](std::stop_token) mutable {
      result = *std::exchange(owned, nullptr);
    });
    thread.join();
    EXPECT_EQ(result, 4);
  });
}

TEST_P(ThreadTest, GivenANameWhenSpawnedThenTheThreadHasItsFirst23Bytes) {
  runtime_.run([] {
    std::string seen;
    Thread named("solver", [&] { seen = this_thread::name(); });
    named.join();
    EXPECT_EQ(seen, "solver");
    Thread long_named("a name that is longer than that",
                      [&](const std::stop_token&) { seen = this_thread::name(); });
    long_named.join();
    EXPECT_EQ(seen, "a name that is longer t");
    Thread unnamed([&] { seen = this_thread::name(); });
    unnamed.join();
    EXPECT_EQ(seen, "");
  });
}

TEST(ThreadMisuse, GivenAnOsThreadWhenItSpawnsThenLogicErrorNamesRuntimeRun) {
  try {
    Thread thread([] {});
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("Runtime::run"), std::string::npos);
  }
}

TEST(ThreadMisuse, GivenNoThreadWhenJoinedOrDetachedThenLogicError) {
  Thread none;
  EXPECT_THROW(none.join(), std::logic_error);
  EXPECT_THROW(none.detach(), std::logic_error);
}

TEST(ThreadMisuse, GivenAThreadWhenItJoinsItselfThenLogicError) {
  Runtime runtime({.workers = 2});
  runtime.run([] {
    Thread thread;
    std::atomic<bool> assigned{false};
    thread = Thread([&] {
      while (!assigned) this_thread::yield();
      EXPECT_THROW(thread.join(), std::logic_error);
      assigned = false;
    });
    assigned = true;
    while (assigned) this_thread::yield();
    thread.join();
  });
}

TEST(ThreadDeathTest, GivenAJoinableThreadWhenDestroyedThenTheProcessTerminates) {
  EXPECT_DEATH(Runtime({.workers = 1}).run([] { Thread thread([] {}); }),
               "a joinable Thread is destroyed(.|\n)*terminate called");
}

TEST(ThreadDeathTest, GivenADetachedThreadWhenAnExceptionEscapesItThenTheProcessTerminates) {
  const auto throw_detached = [] {
    Thread("on its own", [] {
      this_thread::yield();
      throw std::runtime_error("nobody waits for me");
    }).detach();
  };
  EXPECT_DEATH(
      Runtime({.workers = 1}).run(throw_detached),
      "detached thread, thread \"on its own\".*thread_test\\.cpp(.|\n)*terminate called(.|\n)*"
      "nobody waits for me");
}

TEST(ThreadDeathTest, GivenAThreadThatThrewWhenItIsDetachedThenTheProcessTerminates) {
  EXPECT_DEATH(Runtime({.workers = 1}).run([] {
    Thread([] { throw std::runtime_error("too late to catch"); }).detach();
  }),
               "detached(.|\n)*too late to catch");
}

}  // namespace
}  // namespace kumiko::runtime::test
