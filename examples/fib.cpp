// Fibonacci numbers by divide and conquer, in three ways: a thread per call, a potential thread per
// call, which becomes one only when an idle worker asks for work, and no threads.
//
//     build/release/bin/example_fib [n]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <kumiko/runtime/invoke.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

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

template <class Function>
long timed(const char* title, Function function) {
  const auto begin = std::chrono::steady_clock::now();
  const long result = function();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  std::printf("%-18s %ld in %.1f ms\n", title, result, time.count());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 27;
  rt::Runtime runtime;  // a worker for every core that this process may use
  std::printf("fib(%d) on %d workers\n", n, runtime.workers());

  const long expected = timed("serial", [n] { return serial(n); });
  const auto on_workers = [&runtime, n](long (*fib)(int)) {
    long result = 0;
    runtime.run([&result, fib, n] { result = fib(n); });
    return result;
  };
  const long threads = timed("threads", [&] { return on_workers(&with_threads); });
  const long potential =
      timed("potential threads", [&] { return on_workers(&with_potential_threads); });
  return threads == expected && potential == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
