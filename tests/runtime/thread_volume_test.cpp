// Contract: threads are cheap in number: a million in a row, thousands waiting at once.
#include <atomic>
#include <cstddef>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

constexpr int kBlocked = 4000;

class LongThreadVolumeTest : public OnWorkers {};
KUMIKO_ON_WORKERS(LongThreadVolumeTest);
class ThreadVolumeTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ThreadVolumeTest);

TEST_P(LongThreadVolumeTest, GivenAMillionThreadsWhenJoinedOneByOneThenEachRanOnce) {
  constexpr int kThreads = 1'000'000;
  std::atomic<int> runs{0};
  runtime_.run([&] {
    for (int i = 0; i < kThreads; ++i) Thread([&runs] { ++runs; }).join();
  });
  EXPECT_EQ(runs, kThreads);
  EXPECT_EQ(runtime_.statistics().total().spawned, static_cast<std::uint64_t>(kThreads));
}

TEST_P(LongThreadVolumeTest, GivenAMillionIndicesWhenRunThenEachRanOnce) {
  std::vector<unsigned char> runs(1'000'000);
  runtime_.run([&] { for_each_index(runs.size(), [&runs](std::size_t i) { ++runs[i]; }); });
  for (const unsigned char run : runs) ASSERT_EQ(run, 1);
}

TEST_P(LongThreadVolumeTest, GivenFourThousandBlockedThreadsWhenReleasedThenAllEnd) {
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> ended{0};
    runtime_.run([&] {
      Latch gate(1);
      TaskGroup group;
      for (int i = 0; i < kBlocked; ++i) {
        group.run([&] {
          gate.wait();
          ++ended;
        });
      }
      EXPECT_EQ(ended, 0);
      gate.count_down();
      group.wait();
    });
    EXPECT_EQ(ended, kBlocked);
  }
}

TEST_P(ThreadVolumeTest, GivenManyBlockedThreadsWhenReleasedThenAllEnd) {
  constexpr int kThreads = 300;
  int ended = 0;
  runtime_.run([&] {
    Latch gate(1);
    std::vector<Thread> threads;
    std::vector<int> marks(kThreads);
    for (int& mark : marks) {
      threads.emplace_back([&gate, &mark] {
        gate.wait();
        mark = 1;
      });
    }
    gate.count_down();
    for (Thread& thread : threads) thread.join();
    for (const int mark : marks) ended += mark;
  });
  EXPECT_EQ(ended, kThreads);
}

}  // namespace
}  // namespace kumiko::runtime::test
