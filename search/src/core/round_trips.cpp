#include "core/round_trips.hpp"

#include <algorithm>
#include <iterator>

namespace kumiko::search::detail {

void RoundTrips::answered(const Way& by, Nanoseconds asked, Nanoseconds answered,
                          Nanoseconds their_clock) {
  const Nanoseconds took = answered - asked;
  const RoundTrip round_trip{took, their_clock - (asked + took / 2)};
  if (const auto known = shortest_.find(by); known != shortest_.end()) {
    if (took < known->second.took) known->second = round_trip;
  } else if (shortest_.size() < kMost) {
    shortest_.emplace(by, round_trip);
  }
}

std::vector<std::uint16_t> RoundTrips::nearest(std::span<const std::uint16_t> neighbours) const {
  constexpr int kFactor = 4;
  constexpr std::chrono::milliseconds kNoise{1};
  auto limit = Nanoseconds::max();
  for (const std::uint16_t each : neighbours) {
    const auto found = shortest_.find({each});
    if (found != shortest_.end()) limit = std::min(limit, kFactor * found->second.took + kNoise);
  }
  std::vector<std::uint16_t> chosen;
  std::copy_if(neighbours.begin(), neighbours.end(), std::back_inserter(chosen),
               [&](std::uint16_t each) {
                 const auto found = shortest_.find({each});
                 return found == shortest_.end() || found->second.took <= limit;
               });
  return chosen;
}

}  // namespace kumiko::search::detail
