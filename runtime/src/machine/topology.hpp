// Says which processors share a cache, so that thieves look near first.
#pragma once

#include <utility>
#include <vector>

namespace kumiko::runtime::detail {

/// How near the machine's processors are to each other. Empty where the system does not tell.
class Topology {
 public:
  /// The machine's, read once per process (some 15 ms).
  static const Topology& machine();

  /// \param caches the last-level cache of each processor, by the number that the operating system
  /// gives it.
  explicit Topology(std::vector<int> caches) : caches_(std::move(caches)) {}

  /// The last-level cache below which the calling OS thread runs now; -1 where the system does not
  /// tell.
  int here() const noexcept;

  /// Whether there is more than one last-level cache, so that distances matter.
  bool has_distances() const noexcept;

  const std::vector<int>& caches() const noexcept { return caches_; }

 private:
  std::vector<int> caches_;
};

/// What the system tells, by the number of the processor; empty if it tells nothing.
std::vector<int> read_last_level_caches();

}  // namespace kumiko::runtime::detail
