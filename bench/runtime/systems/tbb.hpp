// Runs the benchmarks' tasks on oneTBB.
#pragma once

#include <string_view>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "support/arguments.hpp"
#include "support/big_stack.hpp"

namespace kumiko::bench {

/// oneTBB's task_group.
class System {
 public:
  static constexpr std::string_view kName = BENCH_SYSTEM_NAME;

  explicit System(Arguments& arguments)
      : workers_(static_cast<int>(arguments.integer("workers", 1))),
        parallelism_(oneapi::tbb::global_control::max_allowed_parallelism,
                     static_cast<std::size_t>(workers_)),
        stack_size_(oneapi::tbb::global_control::thread_stack_size, kBigStack),
        arena_(workers_) {}

  int workers() const { return workers_; }

  /// The calling OS thread is one of the workers.
  template <class Function>
  void run(Function&& function) {
    on_big_stack([&] { arena_.execute(function); });
  }

  using Group = oneapi::tbb::task_group;

 private:
  int workers_;
  oneapi::tbb::global_control parallelism_;
  oneapi::tbb::global_control stack_size_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace kumiko::bench
