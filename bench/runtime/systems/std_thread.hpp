// Runs the benchmarks' tasks as std::threads.
#pragma once

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

#include "support/arguments.hpp"

namespace kumiko::bench {

/// Threads of the operating system, or of libkumiko_pthread where the program is linked to it.
/// `workers` is the number of cores that they may use.
class System {
 public:
  static constexpr std::string_view kName = BENCH_SYSTEM_NAME;

  explicit System(Arguments& arguments)
      : workers_(static_cast<int>(arguments.integer("workers", 1))) {
    keep_to_cores(workers_);
  }

  int workers() const { return workers_; }

  template <class Function>
  void run(Function&& function) {
    // Not on the main thread, which is an OS thread in either case.
    std::thread(std::forward<Function>(function)).join();
  }

  class Group {
   public:
    Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() { wait(); }

    template <class Function>
    void run(Function&& function) {
      threads_.emplace_back(std::forward<Function>(function));
    }
    void wait() {
      for (std::thread& thread : threads_) thread.join();
      threads_.clear();
    }

   private:
    std::vector<std::thread> threads_;
  };

  using Mutex = std::mutex;
  using ConditionVariable = std::condition_variable;
  static void yield() { std::this_thread::yield(); }

 private:
  /// Keeps the process to the first `count` of the cores that it may use.
  static void keep_to_cores(int count) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) throw_errno("sched_getaffinity");
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&chosen) < count; ++core) {
      if (CPU_ISSET(core, &allowed)) CPU_SET(core, &chosen);
    }
    if (sched_setaffinity(0, sizeof(chosen), &chosen) != 0) throw_errno("sched_setaffinity");
  }

  [[noreturn]] static void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
  }

  int workers_;
};

}  // namespace kumiko::bench
