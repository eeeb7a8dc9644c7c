// Distances and clock differences of other processes, measured by their answers to asks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/exchange_message.hpp"

namespace kumiko::search::detail {

/// The shortest round trip to each process. A round trip is an ask and its answer, which has the
/// time that the clock there showed. That time is between those of the ask and the answer, so it
/// differs from their middle by at most half of the round trip (Cristian's algorithm), and the
/// shortest round trip is the most precise one. An ask may have been passed on, so that its answer
/// comes from farther away than the process that was asked. Not for several threads at once.
class RoundTrips {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  struct RoundTrip {
    Nanoseconds took;
    Nanoseconds ahead;  ///< the clock there minus the clock of this process
  };

  /// The largest number of processes whose round trips are kept.
  static constexpr std::size_t kMost = 1024;

  void answered(const Way& by, Nanoseconds asked, Nanoseconds answered, Nanoseconds their_clock);

  /// The neighbours that are asked before the others: those on this machine or, if there are none,
  /// those whose round trip is at most 4 times the shortest one plus a millisecond, for which
  /// answers wait for a worker. A neighbour that has not answered yet counts as near, so that it is
  /// measured.
  /// \param is_here  returns whether a neighbour is known to be on this machine
  template <class IsHere>
  std::vector<std::uint16_t> near(std::span<const std::uint16_t> neighbours, IsHere is_here) const {
    std::vector<std::uint16_t> chosen;
    for (const std::uint16_t each : neighbours) {
      if (is_here(each)) chosen.push_back(each);
    }
    return chosen.empty() ? nearest(neighbours) : chosen;
  }

  const std::map<Way, RoundTrip>& all() const noexcept { return shortest_; }

 private:
  std::vector<std::uint16_t> nearest(std::span<const std::uint16_t> neighbours) const;

  std::map<Way, RoundTrip> shortest_;
};

}  // namespace kumiko::search::detail
