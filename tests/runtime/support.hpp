// Helpers of the runtime's tests: sanitizers, busy workers, many threads at once.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "stack/sanitizer.hpp"

namespace kumiko::runtime::test {

#if defined(KUMIKO_TSAN)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
inline constexpr bool kSanitized = detail::sanitizer::kActive;

/// Whether the child of a process with threads may do more than plain system calls.
/// ThreadSanitizer's own threads do not survive a fork, and g++'s AddressSanitizer may leave the
/// child one of its allocator's locks as some other thread held it.
inline constexpr bool kForkedChildMayAllocate = !kSanitized;

/// Waits without letting the worker do anything else, as a long computation would.
template <class Condition>
void hold_worker_until(Condition condition) {
  while (!condition()) sched_yield();
}

/// Runs `body` `lightweight` times in lightweight threads and `os` times in OS threads, all at
/// once.
template <class Body>
void run_in_both_kinds(Runtime& runtime, int lightweight, int os, Body body) {
  std::vector<std::thread> os_threads;
  for (int i = 0; i < os; ++i) os_threads.emplace_back(body);
  runtime.run([&] {
    TaskGroup group;
    for (int i = 0; i < lightweight; ++i) group.run(body);
    group.wait();
  });
  for (std::thread& os_thread : os_threads) os_thread.join();
}

/// A fixture with a runtime of 1, 2, 3 and 8 workers.
class OnWorkers : public testing::TestWithParam<int> {
 protected:
  Runtime runtime_{Options{.workers = GetParam()}};
};

/// A fixture for what needs a second worker: 2, 3 and 8.
class OnSeveralWorkers : public OnWorkers {};

inline std::string worker_count_name(const testing::TestParamInfo<int>& info) {
  return std::to_string(info.param) + (info.param == 1 ? "Worker" : "Workers");
}

}  // namespace kumiko::runtime::test

#define KUMIKO_ON_WORKERS(Fixture) \
  INSTANTIATE_TEST_SUITE_P(With, Fixture, testing::Values(1, 2, 3, 8), worker_count_name)
#define KUMIKO_ON_SEVERAL_WORKERS(Fixture) \
  INSTANTIATE_TEST_SUITE_P(With, Fixture, testing::Values(2, 3, 8), worker_count_name)
