// Runs the benchmarks' tasks as Kumiko's Threads, each joined by its handle.
#pragma once

#include <utility>
#include <vector>

#include <kumiko/runtime/thread.hpp>

#define KUMIKO_BENCH_GROUP HandleGroup

namespace kumiko::bench {

/// A Thread for each task, joined one by one.
class HandleGroup {
 public:
  template <class Function>
  void run(Function&& function) {
    threads_.emplace_back(std::forward<Function>(function));
  }
  void wait() {
    for (runtime::Thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<runtime::Thread> threads_;
};

}  // namespace kumiko::bench

#include "systems/kumiko.hpp"
