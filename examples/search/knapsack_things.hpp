// What might go into a knapsack, and what is the most worth of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace examples {

struct Thing {
  long weight;
  long worth;
};

/// Things whose worth is nearly their weight, which is hard. Those worth most by weight come first.
inline std::vector<Thing> make_things(int n) {
  std::vector<Thing> things;
  std::uint64_t state = 12;
  for (int i = 0; i < n; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const long weight = 10 + static_cast<long>(state >> 33) % 991;
    things.push_back({weight, weight + static_cast<long>(state >> 20) % 100});
  }
  std::ranges::sort(things, std::greater(), [](const Thing& thing) {
    return static_cast<double>(thing.worth) / static_cast<double>(thing.weight);
  });
  return things;
}

/// The most worth that weighs no more than `room`, by dynamic programming.
inline long most_worth(const std::vector<Thing>& things, long room) {
  std::vector<long> best(static_cast<std::size_t>(room) + 1);
  for (const Thing& thing : things) {
    for (long used = room; used >= thing.weight; --used) {
      long& worth = best[static_cast<std::size_t>(used)];
      worth = std::max(worth, best[static_cast<std::size_t>(used - thing.weight)] + thing.worth);
    }
  }
  return best.back();
}

}  // namespace examples
