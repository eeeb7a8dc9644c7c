// Says which processors share a cache, so that thieves look near first.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kumiko::runtime::detail {

/// Stands for the cache of a processor of which the system does not tell.
inline constexpr int kUnknownCache = -1;

/// How near the machine's processors are to each other. Empty where the system does not tell.
class Topology {
 public:
  /// The machine's, read once per process (some 15 ms).
  static const Topology& machine();

  /// \param caches the last-level cache of each processor, by the number that the operating system
  /// gives it.
  explicit Topology(std::vector<int> caches) : caches_(std::move(caches)) {}

  /// The last-level cache below which the calling OS thread runs now, from 0; or kUnknownCache.
  int here() const noexcept;

  /// Whether there is more than one last-level cache, so that distances matter.
  bool has_distances() const noexcept;

  /// How many last-level caches there are.
  std::size_t cache_count() const noexcept;

  const std::vector<int>& caches() const noexcept { return caches_; }

 private:
  std::vector<int> caches_;
};

/// What the system tells, by the number of the processor; empty if it tells nothing.
std::vector<int> read_last_level_caches();

}  // namespace kumiko::runtime::detail
