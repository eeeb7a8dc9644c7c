#include "machine/topology.hpp"

#include <algorithm>

#include <sched.h>

namespace kumiko::runtime::detail {

const Topology& Topology::machine() {
  static const Topology topology(read_places_of_processors());
  return topology;
}

Topology::Place Topology::here() const noexcept {
  const int processor = sched_getcpu();
  const auto index = static_cast<std::size_t>(processor);
  return processor >= 0 && index < places_.size() ? places_[index] : Place{};
}

bool Topology::has_distances() const noexcept {
  return std::any_of(places_.begin(), places_.end(), [this](const Place& place) {
    return distance(place, places_.front()) != Distance::kSameCache;
  });
}

}  // namespace kumiko::runtime::detail
