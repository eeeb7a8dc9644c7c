// Says which processors share a cache or a NUMA node, so that thieves look near first.
#pragma once

#include <utility>
#include <vector>

namespace kumiko::runtime::detail {

/// How near the machine's processors are to each other. Empty where the system does not tell.
class Topology {
 public:
  /// The machine's, read once per process (some 15 ms).
  static const Topology& machine();

  /// What the steps from one processor to another can share.
  enum class Distance { kSameCache, kSameNode, kFar };

  /// A place in the machine, aligned so that it can be read and written as one.
  struct alignas(2 * sizeof(int)) Place {
    int cache = -1;  ///< the last-level cache
    int node = -1;   ///< the NUMA node
  };

  /// \param places of the processors, by the number that the operating system gives them.
  explicit Topology(std::vector<Place> places) : places_(std::move(places)) {}

  /// Where the calling OS thread runs now; unknown (-1, -1) where the system does not tell.
  Place here() const noexcept;

  /// Whether there is more than one last-level cache, so that distances matter.
  bool has_distances() const noexcept;

  static Distance distance(Place a, Place b) noexcept {
    if (a.cache == b.cache) return Distance::kSameCache;
    return a.node == b.node ? Distance::kSameNode : Distance::kFar;
  }

  const std::vector<Place>& places() const noexcept { return places_; }

 private:
  std::vector<Place> places_;
};

/// What the system tells, by the number of the processor; empty if it tells nothing.
std::vector<Topology::Place> read_places_of_processors();

}  // namespace kumiko::runtime::detail
