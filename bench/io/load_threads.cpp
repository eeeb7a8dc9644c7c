// An echo server whose workers are all busy computing: OS threads that share the patches of every
// step, beside an OS thread for each connection.
#include <atomic>
#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "echo_threads.hpp"
#include "patches.hpp"
#include "service.hpp"
#include "support/arguments.hpp"

namespace kumiko::bench::io {
namespace {

class Computation {
 public:
  explicit Computation(int workers) : step_ends_(workers) {
    for (int i = 0; i < workers; ++i) {
      workers_.emplace_back([this] { compute(); });
    }
  }

  void report(JsonLine& line) const { line.add("patches", done_.load(std::memory_order_relaxed)); }

 private:
  /// Every worker takes the next patch of the step until none is left.
  void compute() {
    for (std::uint64_t first = 0;; first += Patches::kCount) {
      for (;;) {
        std::uint64_t next = taken_.load(std::memory_order_relaxed);
        if (next >= first + Patches::kCount) break;
        if (!taken_.compare_exchange_weak(next, next + 1, std::memory_order_relaxed)) continue;
        patches_.advance(next - first);
        done_.fetch_add(1, std::memory_order_relaxed);
      }
      step_ends_.arrive_and_wait();
    }
  }

  Patches patches_;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> done_{0};
  std::barrier<> step_ends_;
  std::vector<std::thread> workers_;
};

void serve(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const auto workers = static_cast<int>(arguments.integer("workers", 1));
  arguments.reject_unknown();
  Service service;
  const std::uint16_t port = echo_with_os_threads();
  const Computation computation(workers);
  service.run(port, [&](JsonLine& line) { computation.report(line); });
}

}  // namespace
}  // namespace kumiko::bench::io

int main(int argc, char** argv) {
  return kumiko::bench::io::service_main(argc, argv, kumiko::bench::io::serve);
}
