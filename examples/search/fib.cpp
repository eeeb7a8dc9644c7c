// Fibonacci numbers: a search without a workspace, and nothing but its overhead.
//
//     build/release/bin/example_search_fib [n] [workers] [rounds]
#include <string>
#include <utility>

#include "program.hpp"

namespace {

struct Nothing {
  long result = 0;
};
constexpr auto kGive = [](const Nothing&) { return Nothing{}; };
constexpr auto kTake = [](Nothing&, Nothing&&) {};

/// A part writes its result where its giver waits for it.
long fib(auto& search, int n) {
  if (n <= 2) return 1;
  long a = 0;
  long b = 0;
  search.split_two([&a, n](auto& at) { a = fib(at, n - 1); },
                   [&b, n](auto& at) { b = fib(at, n - 2); }, kGive, kTake);
  return a + b;
}

long expected(int n) {
  long current = 0;
  for (long next = 1; n > 0; --n) current = std::exchange(next, current + next);
  return current;
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = 60, .fallback = 20};
  return examples::search_program(
      argc, argv, size, [](int) { return Nothing{}; },
      [](auto& search, int n) { search->result = fib(search, n); },
      examples::Answer{"fib", [](const Nothing& found) { return found.result; }},
      [](int n, const Nothing& found) -> std::string {
        if (found.result == expected(n)) return {};
        return std::to_string(found.result) + " is wrong";
      });
}
