// Runs the benchmarks' tasks on Kumiko's TaskGroup.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support/arguments.hpp"

namespace kumiko::bench {

class System {
 public:
  static constexpr std::string_view kName = BENCH_SYSTEM_NAME;

  explicit System(Arguments& arguments) : runtime_(options(arguments)) {}

  int workers() const { return runtime_.workers(); }

  template <class Function>
  void run(Function&& function) {
    runtime_.run(function);
  }

#ifdef KUMIKO_BENCH_GROUP
  using Group = KUMIKO_BENCH_GROUP;
#else
  using Group = runtime::TaskGroup;
#endif
  using Mutex = runtime::Mutex;
  using ConditionVariable = runtime::ConditionVariable;
  static void yield() { runtime::this_thread::yield(); }

 private:
  static runtime::Options options(Arguments& arguments) {
    runtime::Options options;
    options.workers = static_cast<int>(arguments.integer("workers", 1));
    options.stack_size = static_cast<std::size_t>(
        arguments.integer("stack_size", static_cast<long>(options.stack_size)));
    // Whether a stack is recycled as one piece with what a join needs.
    const std::string recycle = arguments.text("recycle", "separately");
    if (recycle != "separately" && recycle != "together") {
      throw std::invalid_argument("recycle=" + recycle + ": give 'separately' or 'together'");
    }
    options.recycle_stacks_at_join = recycle == "together";
    return options;
  }

  runtime::Runtime runtime_;
};

}  // namespace kumiko::bench
