// Who exchanges parts of searches with this process, and how messages get there.
#pragma once

#include <cstdint>
#include <vector>

#include "core/exchange_state.hpp"

namespace kumiko::search::detail {

/// The other processes.
class Peers {
 public:
  virtual ~Peers() = default;

  /// Sends a message, unless whom it is for is lost. By a lightweight thread; may suspend.
  virtual void send(const Way& to, const ExchangeMessage& message, const Way& on_behalf_of) = 0;

  // By any OS thread, under the exchange's lock; these wait for nobody, and do not suspend.

  /// Whom this process may ask, by the first step of the way: those who are not lost.
  virtual std::vector<std::uint16_t> neighbours() const = 0;

  /// Whether it is known that a neighbour is on this machine.
  virtual bool is_here(std::uint16_t neighbour) const noexcept = 0;

  /// Whether others are behind the neighbours, so that asks are passed on, and losses told.
  virtual bool has_others_behind() const noexcept = 0;

  /// Whoever has been lost since the last call.
  virtual std::vector<Way> newly_lost() noexcept = 0;
  /// Whether that is the way to learn of losses. If not, somebody calls Exchange::lost().
  virtual bool finds_losses() const noexcept { return true; }
};

}  // namespace kumiko::search::detail
