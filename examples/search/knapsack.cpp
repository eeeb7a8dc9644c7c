// Which of n things of different weight and worth are worth most and weigh no more than half of
// all? Branch and bound: what cannot become better than the best that any part has found is left
// out.
//
//     build/release/bin/example_search_knapsack [n] [workers] [rounds]
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <kumiko/runtime/best_so_far.hpp>

#include "program.hpp"

namespace {

struct Thing {
  long weight;
  long worth;
};
using Best = kumiko::runtime::BestSoFar<long, std::greater<>>;

/// Things whose worth is nearly their weight, which is hard. Those worth most by weight come first.
std::vector<Thing> make_things(int n) {
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

struct Sack {
  const std::vector<Thing>* things;
  Best* best;  ///< of all parts
  long room;
  long worth = 0;
};

constexpr auto kGive = [](const Sack& here) { return here; };
constexpr auto kTake = [](Sack&, Sack&&) {};

/// More than the things from `next` on can add: as much as fits, of the last one a fraction.
long at_most(const Sack& sack, std::size_t next) {
  long room = sack.room;
  long worth = sack.worth;
  for (; next < sack.things->size(); ++next) {
    const Thing& thing = (*sack.things)[next];
    if (thing.weight > room) return worth + thing.worth * room / thing.weight;
    room -= thing.weight;
    worth += thing.worth;
  }
  return worth;
}

void fill(auto& search, std::size_t next) {
  search->best->offer(search->worth);
  if (next == search->things->size()) return;
  if (!search->best->would_improve(at_most(*search, next))) return;
  const auto with = [next](auto& at) {
    const Thing thing = (*at->things)[next];
    if (thing.weight > at->room) return;
    const auto move = [thing](Sack& sack, long sign) {
      sack.room -= sign * thing.weight;
      sack.worth += sign * thing.worth;
    };
    at.reversible([=](Sack& sack) { move(sack, 1); }, [&] { fill(at, next + 1); },
                  [=](Sack& sack) { move(sack, -1); });
  };
  search.split_two(
      with, [next](auto& at) { fill(at, next + 1); }, kGive, kTake);
}

/// By dynamic programming.
std::string compare(const std::vector<Thing>& things, long room, long found) {
  std::vector<long> best(static_cast<std::size_t>(room) + 1);
  for (const Thing& thing : things) {
    for (long used = room; used >= thing.weight; --used) {
      long& worth = best[static_cast<std::size_t>(used)];
      worth = std::max(worth, best[static_cast<std::size_t>(used - thing.weight)] + thing.worth);
    }
  }
  return best.back() == found ? "" : std::to_string(found) + " is not the most";
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = 1000, .fallback = 40};
  std::vector<Thing> things;
  std::optional<Best> best;
  const auto make = [&](int n) {
    things = make_things(n);
    best.emplace(-1);
    long total = 0;
    for (const Thing& thing : things) total += thing.weight;
    return Sack{&things, &*best, total / 2};
  };
  return examples::search_program(
      argc, argv, size, make, [](auto& search, int) { fill(search, 0); },
      [](int, const Sack& sack) { return compare(*sack.things, sack.room, sack.best->value()); });
}
