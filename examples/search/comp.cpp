// Pairs of numbers from two arrays of which one is the other's complement, bit by bit: by halving
// the longer array until one has fewer than five.
//
//     build/release/bin/example_search_comp [n] [workers] [rounds]
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace {

using Numbers = std::span<const std::int32_t>;

/// The arrays are only read, so that all parts share them.
struct Pairs {
  Numbers a;
  Numbers b;
  long count = 0;
};
constexpr auto kGive = [](const Pairs& here) { return Pairs{here.a, here.b}; };
constexpr auto kTake = [](Pairs& here, Pairs&& part) { here.count += part.count; };

long count_pairs(Numbers a, Numbers b) {
  long count = 0;
  for (const std::int32_t i : a) {
    for (const std::int32_t j : b) count += (i ^ j) == -1 ? 1 : 0;
  }
  return count;
}

void compare(auto& search, Numbers a, Numbers b) {
  if (a.size() < 5) {
    search->count += count_pairs(a, b);
  } else if (a.size() > b.size()) {
    const std::size_t half = a.size() / 2;
    search.split_two([=](auto& at) { compare(at, a.first(half), b); },
                     [=](auto& at) { compare(at, a.subspan(half), b); }, kGive, kTake);
  } else {
    const std::size_t half = b.size() / 2;
    search.split_two([=](auto& at) { compare(at, a, b.first(half)); },
                     [=](auto& at) { compare(at, a, b.subspan(half)); }, kGive, kTake);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = 200000, .fallback = 1000};
  std::vector<std::int32_t> a;
  std::vector<std::int32_t> b;
  const auto make = [&](int n) {
    a.resize(static_cast<std::size_t>(n));
    b.resize(a.size());
    std::iota(a.begin(), a.end(), 0);
    std::iota(b.rbegin(), b.rend(), -n + 1);
    return Pairs{a, b};
  };
  return examples::search_program(
      argc, argv, size, make, [](auto& search, int) { compare(search, search->a, search->b); },
      [](int n, const Pairs& found) -> std::string {
        if (found.count == n - 1) return {};
        return std::to_string(found.count) + " pairs are wrong";
      });
}
