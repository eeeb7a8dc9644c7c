// Runs the benchmarks' tasks on Kumiko's TaskGroup.
#pragma once

#include <algorithm>
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
    options.idle = waiting(arguments.text("idle", "pressure"));
    return options;
  }

  static runtime::IdlePolicy waiting(const std::string& name) {
    const auto names = names_of(runtime::IdlePolicy{});
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw std::invalid_argument("idle is '" + name + "', which is not the name of a policy");
    }
    return static_cast<runtime::IdlePolicy>(found - names.begin());
  }

  runtime::Runtime runtime_;
};

}  // namespace kumiko::bench
