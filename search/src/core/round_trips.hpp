// How far others are, and what their clocks say, by how long they took to answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/exchange_state.hpp"

namespace kumiko::search::detail {

/// The shortest round trip to each process: an ask and its answer, which says what the clock there
/// showed. That lies between the two, so the middle is half the round trip off at most (Cristian's
/// algorithm); the shortest is the one that says most. An ask may have been passed on, so that its
/// answer comes from farther than who was asked. Not for several threads at once.
class RoundTrips {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  struct RoundTrip {
    Nanoseconds took;
    Nanoseconds ahead;  ///< how much the clock there shows more than this process's
  };

  /// Of so many processes the round trips are kept.
  static constexpr std::size_t kMost = 1024;

  void answered(const Way& by, Nanoseconds asked, Nanoseconds answered, Nanoseconds their_clock);

  /// Those of the neighbours to be asked before the others: which are on this machine, or, where
  /// none is, as near as the nearest, but for a factor of 4 and a millisecond, by which answers
  /// wait for a worker. One that has not answered yet counts as near, so that it is measured.
  /// \param is_here  whether a neighbour is known to be on this machine
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
