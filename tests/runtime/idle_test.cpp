// Contract: a runtime without work uses no CPU time, whether it has never run anything, has done
// its work, or all its threads wait or sleep.
#include <atomic>
#include <chrono>
#include <cstddef>
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

class IdleTest : public OnWorkers {
 protected:
  static constexpr std::size_t kWaiters = 20;
};
KUMIKO_ON_WORKERS(IdleTest);

std::chrono::nanoseconds process_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Threads that are about to wait. Before all are, the process may be quiet since a busy machine
/// has not let them begin.
class Arrivals {
 public:
  void count() noexcept { arrived_.fetch_add(1, std::memory_order_relaxed); }
  /// By an OS thread.
  void wait_for(std::size_t count) const {
    while (arrived_.load(std::memory_order_relaxed) < count) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  std::atomic<std::size_t> arrived_{0};
};

/// Whether two periods pass sooner or later, one after the other, in which the process takes less
/// than a tenth of a core. On a busy machine workers may lie down late, and one period may fall to
/// a moment in which they are not let run; those that never lie down fail.
bool comes_to_rest() {
  constexpr std::chrono::milliseconds kPeriod{50};
  constexpr int kMostPeriods = 100;
  int quiet = 0;
  for (int period = 0; period < kMostPeriods && quiet < 2; ++period) {
    const std::chrono::nanoseconds before = process_cpu_time();
    std::this_thread::sleep_for(kPeriod);
    quiet = process_cpu_time() - before < kPeriod / 10 ? quiet + 1 : 0;
  }
  return quiet == 2;
}

TEST_P(IdleTest, GivenWorkDoneWhenIdleThenAlmostNoCpuTimePasses) {
  runtime_.run([] { for_each_index(100, [](std::size_t) {}); });
  EXPECT_TRUE(comes_to_rest());
}

TEST_P(IdleTest, GivenThreadsThatAllWaitWhenIdleThenAlmostNoCpuTimePasses) {
  Latch gate(1);
  Arrivals arrivals;
  std::thread submitter([&] {
    runtime_.run([&] {
      for_each_index(kWaiters, [&](std::size_t) {
        arrivals.count();
        gate.wait();
      });
    });
  });
  arrivals.wait_for(kWaiters);
  EXPECT_TRUE(comes_to_rest());
  gate.count_down();
  submitter.join();
}

TEST_P(IdleTest, GivenThreadsThatAllSleepWhenIdleThenAlmostNoCpuTimePasses) {
  // Each until a point in time that is far off, but for the end of the test.
  std::stop_source ends;
  Arrivals arrivals;
  std::thread submitter([&] {
    runtime_.run([&] {
      for_each_index(kWaiters, [&](std::size_t) {
        Mutex mutex;
        ConditionVariable never;
        std::unique_lock lock(mutex);
        arrivals.count();
        never.wait_for(lock, ends.get_token(), std::chrono::hours(1), [] { return false; });
      });
    });
  });
  arrivals.wait_for(kWaiters);
  EXPECT_TRUE(comes_to_rest());
  ends.request_stop();
  submitter.join();
}

}  // namespace
}  // namespace kumiko::runtime::test
