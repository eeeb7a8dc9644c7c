// Contract: a runtime without work uses no CPU time, whether it has never run anything, has done
// its work, or all its threads wait or sleep.
#include <chrono>
#include <thread>

#include <time.h>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class IdleTest : public OnWorkers {};
KUMIKO_ON_WORKERS(IdleTest);

constexpr std::chrono::milliseconds kPeriod{300};
constexpr std::chrono::milliseconds kAllowed{30};

std::chrono::nanoseconds process_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::chrono::nanoseconds cpu_time_of_a_period() {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::chrono::nanoseconds before = process_cpu_time();
  std::this_thread::sleep_for(kPeriod);
  return process_cpu_time() - before;
}

TEST_P(IdleTest, GivenWorkDone_WhenIdle_ThenAlmostNoCpuTimePasses) {
  runtime_.run([] { for_each_index(100, [](std::size_t) {}); });
  EXPECT_LT(cpu_time_of_a_period(), kAllowed);
}

TEST_P(IdleTest, GivenThreadsThatAllWait_WhenIdle_ThenAlmostNoCpuTimePasses) {
  Latch gate(1);
  std::thread submitter(
      [&] { runtime_.run([&] { for_each_index(20, [&gate](std::size_t) { gate.wait(); }); }); });
  EXPECT_LT(cpu_time_of_a_period(), kAllowed);
  gate.count_down();
  submitter.join();
}

TEST_P(IdleTest, GivenThreadsThatAllSleep_WhenIdle_ThenAlmostNoCpuTimePasses) {
  std::thread submitter([&] {
    runtime_.run(
        [] { for_each_index(20, [](std::size_t) { this_thread::sleep_for(2 * kPeriod); }); });
  });
  EXPECT_LT(cpu_time_of_a_period(), kAllowed);
  submitter.join();
}

}  // namespace
}  // namespace kumiko::runtime::test
