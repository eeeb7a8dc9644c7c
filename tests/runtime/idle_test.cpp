// Contract: a runtime without work uses no CPU time, whether it has never run anything, has done
// its work, or all its threads wait or sleep.
#include <chrono>
#include <mutex>
#include <stop_token>
#include <thread>

#include <time.h>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/mutex.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class IdleTest : public OnWorkers {};
KUMIKO_ON_WORKERS(IdleTest);

std::chrono::nanoseconds process_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Whether a period passes sooner or later in which the process takes less than a tenth of a core.
/// On a busy machine workers may lie down late; those that never do fail.
bool comes_to_rest() {
  constexpr std::chrono::milliseconds kPeriod{100};
  constexpr int kMostPeriods = 50;
  for (int period = 0; period < kMostPeriods; ++period) {
    const std::chrono::nanoseconds before = process_cpu_time();
    std::this_thread::sleep_for(kPeriod);
    if (process_cpu_time() - before < kPeriod / 10) return true;
  }
  return false;
}

TEST_P(IdleTest, GivenWorkDone_WhenIdle_ThenAlmostNoCpuTimePasses) {
  runtime_.run([] { for_each_index(100, [](std::size_t) {}); });
  EXPECT_TRUE(comes_to_rest());
}

TEST_P(IdleTest, GivenThreadsThatAllWait_WhenIdle_ThenAlmostNoCpuTimePasses) {
  Latch gate(1);
  std::thread submitter(
      [&] { runtime_.run([&] { for_each_index(20, [&gate](std::size_t) { gate.wait(); }); }); });
  EXPECT_TRUE(comes_to_rest());
  gate.count_down();
  submitter.join();
}

TEST_P(IdleTest, GivenThreadsThatAllSleep_WhenIdle_ThenAlmostNoCpuTimePasses) {
  // Each until a point in time that is far off, but for the end of the test.
  std::stop_source ends;
  std::thread submitter([&] {
    runtime_.run([&] {
      for_each_index(20, [&](std::size_t) {
        Mutex mutex;
        ConditionVariable never;
        std::unique_lock lock(mutex);
        never.wait_for(lock, ends.get_token(), std::chrono::hours(1), [] { return false; });
      });
    });
  });
  EXPECT_TRUE(comes_to_rest());
  ends.request_stop();
  submitter.join();
}

}  // namespace
}  // namespace kumiko::runtime::test
