// Runs the benchmarks' tasks on OpenMP.
#pragma once

#include <string_view>

#include "support/arguments.hpp"
#include "support/big_stack.hpp"

namespace kumiko::bench {

/// OpenMP's tasks; the compiler decides whose. The environment variable OMP_STACKSIZE must have
/// given the other threads big stacks as well.
class System {
 public:
  static constexpr std::string_view kName = BENCH_SYSTEM_NAME;

  explicit System(Arguments& arguments)
      : workers_(static_cast<int>(arguments.integer("workers", 1))) {}

  int workers() const { return workers_; }

  /// The calling OS thread is one of the workers.
  template <class Function>
  void run(Function&& function) {
    on_big_stack([&] {
#pragma omp parallel num_threads(workers_)
#pragma omp single
      function();
    });
  }

  /// All the children of the task that uses it.
  class Group {
   public:
    template <class Function>
    void run(Function function) {
#pragma omp task firstprivate(function)
      function();
    }
    void wait() {
#pragma omp taskwait
    }
  };

 private:
  int workers_;
};

}  // namespace kumiko::bench
