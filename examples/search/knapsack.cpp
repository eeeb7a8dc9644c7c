// Which of n things of different weight and worth are worth most and weigh no more than half of
// all? Branch and bound: what cannot become better than the best that any part has found is left
// out.
//
//     build/release/bin/example_search_knapsack [n] [workers] [rounds]
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <kumiko/runtime/best_so_far.hpp>

#include "knapsack_things.hpp"
#include "program.hpp"

namespace {

using examples::Thing;
using Best = kumiko::runtime::BestSoFar<long, std::greater<>>;

struct Sack {
  const std::vector<Thing>* things;
  Best* best;  ///< of all parts
  long room;
  long worth = 0;
};

constexpr auto kGive = [](const Sack& here) { return here; };
constexpr auto kTake = [](Sack&, Sack&&) {};

/// What the sack can be worth at most with things from `next` on: as much as fits, of the last one
/// a fraction.
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

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = 1000, .fallback = 40};
  std::vector<Thing> things;
  std::optional<Best> best;
  const auto make = [&](int n) {
    things = examples::make_things(n);
    best.emplace(-1);
    long total = 0;
    for (const Thing& thing : things) total += thing.weight;
    return Sack{&things, &*best, total / 2};
  };
  return examples::search_program(
      argc, argv, size, make, [](auto& search, int) { fill(search, 0); },
      examples::Answer{"most_worth", [](const Sack& sack) { return sack.best->value(); }},
      [](int, const Sack& sack) -> std::string {
        const long found = sack.best->value();
        if (found == examples::most_worth(*sack.things, sack.room)) return {};
        return std::to_string(found) + " is not the most";
      });
}
