// The choice of the process that is asked for a part.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "core/exchange_state.hpp"
#include "core/peers.hpp"
#include "core/round_trips.hpp"

namespace kumiko::search::detail {

/// Asks go, in turn, to a process that has a part of this one and to any other neighbour, near ones
/// first. Not for several threads at once.
class AskTargets {
 public:
  /// `peers` must outlive this.
  explicit AskTargets(const Peers& peers) : peers_(peers) {}

  struct Target {
    Way way;
    std::optional<PartName> waits_for{};  ///< the part of this process that it has
  };

  /// The process to ask after this number of refusals in a row; nullopt if there is none.
  std::optional<Target> next(ExchangeState& state, unsigned refusals);
  /// The process to pass an ask on to, on another side than the one that the ask came from. As a
  /// rule it is the side with the largest known part; otherwise it is random, near or anywhere. The
  /// answers to asks that were passed on are not seen here, so no side is always the first.
  std::optional<Way> onward(const Way& from, const ExchangeState& state);

  /// Measures the distance to the process that has answered an ask; see RoundTrips::answered().
  void answered(const Way& by, std::chrono::nanoseconds asked, std::chrono::nanoseconds answered,
                std::chrono::nanoseconds their_clock) {
    round_trips_.answered(by, asked, answered, their_clock);
  }
  const RoundTrips& round_trips() const noexcept { return round_trips_; }

 private:
  std::vector<std::uint16_t> near_ones(const std::vector<std::uint16_t>& peers) const;
  std::uint16_t any_of(const std::vector<std::uint16_t>& peers);

  const Peers& peers_;
  RoundTrips round_trips_;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace kumiko::search::detail
