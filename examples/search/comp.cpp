// Pairs of numbers from two arrays of which one is the other's complement, bit by bit: by halving
// the longer array until the first has fewer than five.
//
//     build/release/bin/example_search_comp [n] [workers] [rounds]
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "program.hpp"

namespace {

using Number = std::int32_t;

struct Pairs {
  long count = 0;
};
constexpr auto kGive = [](const Pairs&) { return Pairs{}; };
constexpr auto kTake = [](Pairs& here, Pairs&& part) { here.count += part.count; };

/// The arrays are only read, so that all parts share them.
void compare(auto& search, const Number* a, long m, const Number* b, long n) {
  if (m < 5) {
    int count = 0;
    for (const Number* i = a; i < a + m; ++i) {
      for (const Number* j = b; j < b + n; ++j) count += (*i ^ *j) == -1;
    }
    search->count += count;
  } else if (m > n) {
    search.split_two([=](auto& at) { compare(at, a, m / 2, b, n); },
                     [=](auto& at) { compare(at, a + m / 2, m - m / 2, b, n); }, kGive, kTake);
  } else {
    search.split_two([=](auto& at) { compare(at, a, m, b, n / 2); },
                     [=](auto& at) { compare(at, a, m, b + n / 2, n - n / 2); }, kGive, kTake);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = 200000, .fallback = 1000};
  std::vector<Number> a;
  std::vector<Number> b;
  const auto make = [&](int n) {
    a.resize(static_cast<std::size_t>(n));
    b.resize(a.size());
    std::iota(a.begin(), a.end(), 0);
    std::iota(b.rbegin(), b.rend(), -n + 1);
    return Pairs{};
  };
  return examples::search_program(
      argc, argv, size, make,
      [&](auto& search, int n) { compare(search, a.data(), n, b.data(), n); },
      examples::Answer{"pairs", [](const Pairs& found) { return found.count; }},
      [](int n, const Pairs& found) -> std::string {
        if (found.count == n - 1) return {};
        return std::to_string(found.count) + " pairs are wrong";
      });
}
