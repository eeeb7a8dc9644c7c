// Fibonacci numbers by divide and conquer, in three ways: a thread per call, a potential thread per
// call, which becomes one only when an idle worker asks for work, and no threads.
//
// A thread costs more than a call here: a stack, a switch and a join, all for one addition.
//
//     build/release/bin/example_fib [n]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <kumiko/runtime/invoke.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "arguments.hpp"

namespace rt = kumiko::runtime;

namespace {

long serial(int n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

long with_threads(int n) {
  if (n < 2) return n;
  rt::TaskGroup group;
  long a = 0;
  group.run([&a, n] { a = with_threads(n - 1); });
  const long b = with_threads(n - 2);
  group.wait();
  return a + b;
}

long with_potential_threads(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  rt::invoke([&a, n] { a = with_potential_threads(n - 1); },
             [&b, n] { b = with_potential_threads(n - 2); });
  return a + b;
}

/// `spawns` is how many threads the function makes, or calls in their place.
template <class Function>
long timed(const char* title, long spawns, Function function) {
  const auto begin = std::chrono::steady_clock::now();
  const long result = function();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  std::printf("%-18s %ld in %.1f ms, %.1f ns for each\n", title, result, time.count() / 1e6,
              time.count() / static_cast<double>(spawns));
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  // At 40 it takes some seconds.
  const examples::Number number{.name = "n", .least = 2, .most = 40, .fallback = 27};
  const int n = examples::read_arguments(argc, argv, number);
  rt::Runtime runtime;  // a worker for every core that this process may use
  const long spawns = serial(n + 1) - 1;
  std::printf("fib(%d) on %d workers: %ld threads, or calls in their place\n", n, runtime.workers(),
              spawns);

  const long expected = timed("serial", spawns, [n] { return serial(n); });
  const auto on_workers = [&runtime, n](long (*fib)(int)) {
    long result = 0;
    runtime.run([&result, fib, n] { result = fib(n); });
    return result;
  };
  const long threads = timed("threads", spawns, [&] { return on_workers(&with_threads); });
  const long potential =
      timed("potential threads", spawns, [&] { return on_workers(&with_potential_threads); });
  return threads == expected && potential == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
