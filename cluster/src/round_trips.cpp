#include "round_trips.hpp"

#include <algorithm>
#include <iterator>

namespace kumiko::cluster::detail {

void RoundTrips::answered(std::uint16_t neighbour, Nanoseconds asked, Nanoseconds answered,
                          Nanoseconds their_clock) {
  const Nanoseconds took = answered - asked;
  const auto [known, is_first] = shortest_.try_emplace(neighbour);
  if (!is_first && known->second.took <= took) return;
  known->second = {took, their_clock - (asked + took / 2)};
}

std::vector<std::uint16_t> RoundTrips::nearest(std::span<const std::uint16_t> neighbours) const {
  constexpr int kFactor = 4;
  constexpr std::chrono::milliseconds kNoise{1};
  const auto distance = [&](std::uint16_t neighbour) {
    const auto found = shortest_.find(neighbour);
    return found == shortest_.end() ? Nanoseconds(0) : found->second.took;
  };
  auto limit = Nanoseconds::max();
  for (const std::uint16_t each : neighbours) {
    if (shortest_.contains(each)) limit = std::min(limit, kFactor * distance(each) + kNoise);
  }
  std::vector<std::uint16_t> chosen;
  std::copy_if(neighbours.begin(), neighbours.end(), std::back_inserter(chosen),
               [&](std::uint16_t each) { return distance(each) <= limit; });
  return chosen;
}

}  // namespace kumiko::cluster::detail
