#include "machine/topology.hpp"

#include <algorithm>

#include <sched.h>

namespace kumiko::runtime::detail {

const Topology& Topology::machine() {
  static const Topology topology(read_last_level_caches());
  return topology;
}

int Topology::here() const noexcept {
  const int processor = sched_getcpu();
  const auto index = static_cast<std::size_t>(processor);
  return processor >= 0 && index < caches_.size() ? caches_[index] : kUnknownCache;
}

std::size_t Topology::cache_count() const noexcept {
  const auto last = std::ranges::max_element(caches_);
  return last == caches_.end() ? 0 : static_cast<std::size_t>(*last + 1);
}

bool Topology::has_distances() const noexcept {
  return std::any_of(caches_.begin(), caches_.end(),
                     [this](int cache) { return cache != caches_.front(); });
}

}  // namespace kumiko::runtime::detail
