// Contract: with one worker a chaos seed replays the same schedule; with several, threads run where
// they did not run before. Nothing else changes.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

/// Which thread took which turn.
std::vector<int> schedule(std::uint64_t seed) {
  std::vector<int> turns;
  Runtime runtime(Options{.workers = 1, .chaos_seed = seed});
  runtime.run([&turns] {
    TaskGroup group;
    for (int thread = 0; thread < 10; ++thread) {
      group.run([&turns, thread] {
        for (int turn = 0; turn < 10; ++turn) {
          turns.push_back(thread);
          this_thread::yield();
        }
      });
    }
    group.wait();
  });
  return turns;
}

TEST(Chaos, GivenOneWorkerAndASeedWhenRunAgainThenTheScheduleIsTheSame) {
  EXPECT_EQ(schedule(7), schedule(7));
}

TEST(Chaos, GivenOneWorkerWhenTheSeedDiffersThenSoDoesTheSchedule) {
  EXPECT_NE(schedule(7), schedule(8));
}

TEST(Chaos, GivenSeveralWorkersWhenThreadsRunThenAllDoTheirWork) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Runtime runtime(Options{.workers = 3, .chaos_seed = seed});
    std::atomic<int> calls{0};
    runtime.run([&calls] {
      for_each_index(100, [&calls](std::size_t) {
        this_thread::yield();
        ++calls;
      });
    });
    EXPECT_EQ(calls, 100);
  }
}

TEST(Chaos, GivenNonsenseInTheEnvironmentWhenARuntimeIsMadeThenItIsNamed) {
  const char* const before = std::getenv("KUMIKO_CHAOS_SEED");
  const std::string kept = before != nullptr ? before : "0";
  setenv("KUMIKO_CHAOS_SEED", "tea", 1);
  EXPECT_THROW(Runtime(Options{.workers = 1}), std::invalid_argument);
  setenv("KUMIKO_CHAOS_SEED", kept.c_str(), 1);
}

}  // namespace
}  // namespace kumiko::runtime::test
