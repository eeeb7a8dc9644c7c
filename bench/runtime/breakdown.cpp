// The parts of spawn and join on one worker, each measured on its own: what the driver prints as
// the breakdown of the overhead per thread.
#include <cstddef>
#include <memory>

#include <benchmark/benchmark.h>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "core/deque.hpp"
#include "core/scheduler.hpp"
#include "record/stack_pool.hpp"
#include "stack/context.hpp"
#include "tunables.hpp"

namespace kumiko::bench {
namespace {

using namespace runtime::detail;

/// A stack from the worker's own store, and back.
void stack(benchmark::State& state) {
  Scheduler home(runtime::Options{.workers = 1});
  StackSource source(home, runtime::default_stack_size());
  StackDepot depot(source);
  StackCache cache(depot, tunables::kBatchSize);
  for (auto _ : state) {
    Descriptor* taken = cache.take();
    benchmark::DoNotOptimize(taken);
    cache.give(taken);
  }
}
BENCHMARK(stack);

/// The parent goes to the deque and comes back.
void deque(benchmark::State& state) {
  AsymmetricBarrier barrier;
  Deque<int> queue(tunables::kDequeCapacity, barrier);
  int element = 0;
  for (auto _ : state) {
    queue.push(&element);
    benchmark::DoNotOptimize(queue.pop());
  }
}
BENCHMARK(deque);

/// To a fresh stack, and back at its end.
void context_switch(benchmark::State& state) {
  constexpr std::size_t kSize = std::size_t{64} * 1024;
  const auto memory = std::make_unique<std::byte[]>(kSize);
  void* const top =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory.get() + kSize) / 16 * 16);
  void* here = nullptr;
  const auto entry = [](void* argument) { return *static_cast<void**>(argument); };
  for (auto _ : state) {
    kumiko_context_start(&here, top, entry, static_cast<void*>(&here))();
  }
}
BENCHMARK(context_switch)->Name("switch");

/// A group that nothing was left behind in.
void join(benchmark::State& state) {
  runtime::Runtime workers({.workers = 1});
  workers.run([&state] {
    for (auto _ : state) {
      runtime::TaskGroup group;
      benchmark::DoNotOptimize(&group);
      group.wait();
    }
  });
}
BENCHMARK(join);

}  // namespace
}  // namespace kumiko::bench

BENCHMARK_MAIN();
