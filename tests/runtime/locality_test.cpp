// Contract: a hint where to run is obeyed when that worker is free,
// and never keeps a thread from running; every idle policy gets the work done.
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "machine/topology.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using detail::Topology;

TEST(TopologyTest, GivenOneCacheOrNothingKnownWhenAskedThenThereAreNoDistances) {
  EXPECT_FALSE(Topology(std::vector<int>{}).has_distances());
  EXPECT_FALSE(Topology(std::vector{0, 0}).has_distances());
  EXPECT_TRUE(Topology(std::vector{0, 1}).has_distances());
}

TEST(TopologyTest, GivenProcessorsThenTheirLastLevelCachesAreCounted) {
  EXPECT_EQ(Topology({0, 0, 1, detail::kUnknownCache}).cache_count(), 2U);
  EXPECT_EQ(Topology(std::vector<int>{}).cache_count(), 0U);
}

TEST(TopologyTest, GivenThisMachineWhenReadThenTheRunningProcessorIsOnIt) {
  const Topology& machine = Topology::machine();
  if (machine.caches().empty()) GTEST_SKIP() << "built without hwloc";
  EXPECT_GE(machine.here(), 0);
}

class RunNear : public OnWorkers {};
KUMIKO_ON_WORKERS(RunNear);

TEST_P(RunNear, GivenHintsWhenThreadsAreSpawnedThenEachRunsOnce) {
  constexpr int kThreads = 200;
  std::atomic<int> calls{0};
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) group.run_near(i % GetParam(), [&calls] { ++calls; });
    group.wait();
  });
  EXPECT_EQ(calls, kThreads);
}

TEST_P(RunNear, GivenAHintFromAnotherThreadWhenItSpawnsThenTheGroupWaitsForThatToo) {
  std::atomic<int> calls{0};
  runtime_.run([&] {
    TaskGroup group;
    group.run([&] {
      this_thread::yield();
      group.run_near(0, [&calls] { ++calls; });
    });
    group.wait();
    EXPECT_EQ(calls, 1);
  });
}

TEST_P(RunNear, GivenNoSuchWorkerWhenSpawnedThenOutOfRange) {
  runtime_.run([] {
    TaskGroup group;
    EXPECT_THROW(group.run_near(-1, [] {}), std::out_of_range);
    EXPECT_THROW(group.run_near(GetParam(), [] {}), std::out_of_range);
    group.wait();
  });
}

TEST(RunNearOrder, GivenAFreeWorkerWhenTheOthersAreBusyThenItRunsThere) {
  Runtime runtime(Options{.workers = 2});
  int ran_on = -1;
  int spawned_on = -1;
  runtime.run([&] {
    std::atomic<bool> ran{false};
    TaskGroup group;
    spawned_on = this_thread::worker_index();
    group.run_near(1 - spawned_on, [&] {
      ran_on = this_thread::worker_index();
      ran = true;
    });
    hold_worker_until([&ran] { return ran.load(); });
    group.wait();
  });
  EXPECT_EQ(ran_on, 1 - spawned_on);
}

class IdlePolicies : public testing::TestWithParam<IdlePolicy> {};
INSTANTIATE_TEST_SUITE_P(All, IdlePolicies,
                         testing::Values(IdlePolicy::kAdaptive, IdlePolicy::kSpin,
                                         IdlePolicy::kSpinPause, IdlePolicy::kYield,
                                         IdlePolicy::kSleep, IdlePolicy::kPressure));

TEST_P(IdlePolicies, GivenAPolicyWhenWorkComesAndGoesThenAllIsDoneAndTheRuntimeEnds) {
  std::atomic<int> calls{0};
  for (const int workers : {1, 2, 3}) {
    Runtime runtime(Options{.workers = workers, .idle = GetParam()});
    for (int turn = 0; turn < 5; ++turn) {
      runtime.run([&calls] { for_each_index(20, [&calls](std::size_t) { ++calls; }); });
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(calls, 3 * 5 * 20);
}

TEST_P(IdlePolicies, GivenAPolicyWhenAThreadSleepsThenItWakes) {
  Runtime runtime(Options{.workers = 2, .idle = GetParam()});
  runtime.run([] { this_thread::sleep_for(std::chrono::milliseconds(5)); });
}

}  // namespace
}  // namespace kumiko::runtime::test
