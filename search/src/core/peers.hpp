// The processes that exchange parts with this one, and the way to send messages to them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/exchange_message.hpp"

namespace kumiko::search::detail {

/// The other processes.
class Peers {
 public:
  virtual ~Peers() = default;

  /// Sends a message, unless its receiver is lost. Lightweight threads call it; it may suspend.
  virtual void send(const Way& to, const ExchangeMessage& message, const Way& on_behalf_of) = 0;

  // Any OS thread calls the following, under the exchange's lock. They neither wait nor suspend.

  /// The processes that may be asked, by the first step of the way: all that are not lost.
  virtual std::vector<std::uint16_t> neighbours() const = 0;

  /// Returns whether a neighbour is known to be on this machine.
  virtual bool is_here(std::uint16_t neighbour) const noexcept = 0;

  /// Returns whether there are processes behind the neighbours, so that asks are passed on and
  /// losses are reported.
  virtual bool has_others_behind() const noexcept = 0;

  /// The ways to the processes lost since the last call.
  virtual std::vector<Way> newly_lost() noexcept = 0;
  /// Returns whether newly_lost() reports losses. If not, Exchange::lost() is called for each.
  virtual bool finds_losses() const noexcept { return true; }
};

}  // namespace kumiko::search::detail
