// Contract of invoke() and parallel_for(): every call is made exactly once, a busy worker shares
// its work when another asks for it and creates no thread otherwise, and exceptions come back.
#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <kumiko/runtime/invoke.hpp>
#include <kumiko/runtime/parallel_for.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

std::int64_t fib(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  invoke([&a, n] { a = fib(n - 1); }, [&b, n] { b = fib(n - 2); });
  return a + b;
}

class InvokeTest : public OnWorkers {};
KUMIKO_ON_WORKERS(InvokeTest);
class InvokeOnSeveral : public OnSeveralWorkers {};
KUMIKO_ON_SEVERAL_WORKERS(InvokeOnSeveral);

TEST_P(InvokeTest, GivenARecursionWhenRunThenTheResultIsRight) {
  std::int64_t result = 0;
  for (int turn = 0; turn < 5; ++turn) {
    runtime_.run([&result] { result = fib(22); });
    EXPECT_EQ(result, 17'711);
  }
}

TEST(InvokeUndisturbed, GivenOneWorkerWhenRecursingThenNoThreadIsCreated) {
  Runtime runtime(Options{.workers = 1});
  runtime.run([] { EXPECT_EQ(fib(15), 610); });
  EXPECT_EQ(runtime.statistics().total().spawned, 0);
}

TEST(Invoke, GivenAPlainOsThreadWhenInvokedThenBothRunInOrder) {
  std::vector<int> order;
  invoke([&order] { order.push_back(1); }, [&order] { order.push_back(2); });
  parallel_for(3, 6, [&order](int i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4, 5}));
}

TEST_P(InvokeOnSeveral, GivenAnIdleWorkerWhenABusyOnePollsThenTheSecondHalfRunsMeanwhile) {
  runtime_.run([] {
    std::atomic<bool> second_ran{false};
    invoke(
        [&second_ran] {
          hold_worker_until([&second_ran] {
            this_thread::poll();
            return second_ran.load();
          });
        },
        [&second_ran] { second_ran = true; });
  });
}

TEST(InvokeUndisturbed, GivenNestedCallsWhenTheOtherWorkerAsksThenItGetsTheOutermostPartFirst) {
  Runtime runtime(Options{.workers = 2});
  runtime.run([] {
    std::atomic<bool> outer_ran{false};
    bool inner_ran_before = false;
    invoke(
        [&] {
          invoke(
              [&outer_ran] {
                hold_worker_until([&outer_ran] {
                  this_thread::poll();
                  return outer_ran.load();
                });
              },
              [&] { inner_ran_before = !outer_ran; });
        },
        [&outer_ran] { outer_ran = true; });
    EXPECT_FALSE(inner_ran_before);
  });
}

TEST_P(InvokeTest, GivenAFunctionThatThrowsWhenInvokedThenTheExceptionArrivesOnce) {
  const auto first_throws = [] {
    invoke([] { throw std::runtime_error("first"); }, [] { throw std::logic_error("second"); });
  };
  const auto second_throws = [] {
    invoke([] { fib(12); }, [] { throw std::logic_error("second"); });
  };
  runtime_.run([&] {
    for (int turn = 0; turn < 20; ++turn) {
      EXPECT_THROW(first_throws(), std::runtime_error);
      EXPECT_THROW(second_throws(), std::logic_error);
      EXPECT_EQ(fib(10), 55);
    }
  });
}

TEST_P(InvokeTest, GivenThreadsThatSuspendInsideWhenInvokedThenEachKeepsItsOwnFrames) {
  runtime_.run([] {
    TaskGroup group;
    for (int thread = 0; thread < 20; ++thread) {
      group.run([] {
        int calls = 0;
        invoke(
            [&calls] {
              this_thread::yield();
              EXPECT_EQ(fib(10), 55);
              ++calls;
            },
            [] { this_thread::yield(); });
        EXPECT_EQ(calls, 1);
      });
    }
    group.wait();
  });
}

class ParallelForTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ParallelForTest);
class ParallelForOnSeveral : public OnSeveralWorkers {};
KUMIKO_ON_SEVERAL_WORKERS(ParallelForOnSeveral);

TEST_P(ParallelForTest, GivenARangeWhenRunThenEveryIndexIsCalledExactlyOnce) {
  std::vector<std::atomic<int>> calls(3000);
  for (int turn = 0; turn < 5; ++turn) {
    for (auto& call : calls) call = 0;
    runtime_.run(
        [&calls] { parallel_for(std::size_t{0}, calls.size(), [&](auto i) { ++calls[i]; }); });
    for (const auto& call : calls) ASSERT_EQ(call, 1);
  }
}

TEST_P(ParallelForTest, GivenAGrainWhenRunThenRangesOfThatSizeMakeUpTheWhole) {
  runtime_.run([] {
    for (const int last : {4, 5, 99, 100, 101, 107}) {
      std::vector<std::atomic<int>> calls(200);
      std::atomic<int> ranges{0};
      parallel_for_ranges(4, last, 7, [&](int begin, int end) {
        ++ranges;
        EXPECT_EQ((begin - 4) % 7, 0);
        EXPECT_LE(end - begin, 7);
        for (int i = begin; i < end; ++i) ++calls[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(ranges, (last - 4 + 6) / 7);
      for (int i = 0; i < 200; ++i) {
        ASSERT_EQ(calls[static_cast<std::size_t>(i)], i >= 4 && i < last ? 1 : 0) << i;
      }
    }
  });
}

TEST_P(ParallelForTest, GivenAnEmptyOrReversedRangeWhenRunThenNothingHappens) {
  runtime_.run([] {
    parallel_for(0, 0, [](int) { FAIL(); });
    parallel_for(5, -5, [](int) { FAIL(); });
  });
}

TEST_P(ParallelForTest, GivenNestedLoopsWhenRunThenEveryPairIsCalledExactlyOnce) {
  constexpr int kSide = 60;
  std::array<std::atomic<int>, kSide * kSide> calls{};
  runtime_.run([&calls] {
    parallel_for(0, kSide, [&calls](int y) {
      parallel_for(0, kSide,
                   [&calls, y](int x) { ++calls[static_cast<std::size_t>(y * kSide + x)]; });
    });
  });
  for (const auto& call : calls) ASSERT_EQ(call, 1);
}

TEST_P(ParallelForOnSeveral, GivenIdleWorkersWhenIterationsAreLongThenTheyTakePart) {
  // Ends only if two iterations run at the same time.
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  runtime_.run([&] {
    parallel_for(0, 1000, [&](int) {
      ++inside;
      for (int turn = 0; turn < 1000 && !met; ++turn) {
        if (inside >= 2) met = true;
        std::this_thread::yield();
      }
      --inside;
    });
  });
  EXPECT_TRUE(met);
}

TEST_P(ParallelForTest, GivenABodyThatThrowsWhenRunThenTheExceptionArrivesAfterAllHaveEnded) {
  for (int turn = 0; turn < 20; ++turn) {
    std::atomic<int> running{0};
    const auto loop = [&running] {
      parallel_for(0, 200, [&running](int i) {
        ++running;
        if (i % 50 == 49) {
          --running;
          throw std::out_of_range("body");
        }
        --running;
      });
    };
    runtime_.run([&] { EXPECT_THROW(loop(), std::out_of_range); });
    EXPECT_EQ(running, 0);
  }
}

TEST_P(ParallelForOnSeveral, GivenARangeWiderThanItsTypeWhenItIsSplitThenNoIndexIsOutside) {
  constexpr int kFirst = -2'000'000'000;
  constexpr int kLast = 2'000'000'000;
  std::atomic<int> calls{0};
  std::atomic<bool> outside{false};
  std::atomic<bool> is_split{false};
  const auto loop = [&] {
    parallel_for(kFirst, kLast, [&](int i) {
      if (i < kFirst || i >= kLast) outside = true;
      // Far from where the caller itself has got to.
      if (i < kFirst || i > kFirst + 1'000'000) is_split = true;
      this_thread::yield();
      if (++calls >= 200 && is_split) throw std::runtime_error("enough");
    });
  };
  runtime_.run([&] { EXPECT_THROW(loop(), std::runtime_error); });
  EXPECT_FALSE(outside);
}

}  // namespace
}  // namespace kumiko::runtime::test
