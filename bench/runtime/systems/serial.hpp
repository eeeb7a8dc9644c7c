// Runs the benchmarks' tasks as plain calls.
#pragma once

#include <string_view>
#include <utility>

#include "support/arguments.hpp"
#include "support/big_stack.hpp"

namespace kumiko::bench {

/// The serial elision of the programs: a spawn is a call.
class System {
 public:
  static constexpr std::string_view kName = BENCH_SYSTEM_NAME;

  explicit System(Arguments&) {}

  int workers() const { return 1; }

  template <class Function>
  void run(Function&& function) {
    on_big_stack(function);
  }

  class Group {
   public:
    template <class Function>
    void run(Function&& function) {
      std::forward<Function>(function)();
    }
    void wait() {}
  };
};

}  // namespace kumiko::bench
