// Processes of searches within this one, without a cluster between them: their messages take long,
// and they may keep to the rule of Tascell's protocol that Kumiko's does without.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kumiko/runtime/this_thread.hpp>

#include "exchange/exchange.hpp"

namespace kumiko::bench {

/// *The rule*: who has told a result refuses each ask until that has been acknowledged, a round
/// trip later.
struct DelayedNet {
  DelayedNet(int processes, std::chrono::microseconds of_message, bool with_rule)
      : delay(of_message),
        has_rule(with_rule),
        refuses_until(static_cast<std::size_t>(processes)) {}

  const std::chrono::microseconds delay;
  const bool has_rule;
  std::vector<std::atomic<std::int64_t>> refuses_until;  ///< by process, in ticks of the clock
  std::vector<std::shared_ptr<search::detail::Exchange>> exchanges{};  ///< made before any sends
};

/// The others, for one of the processes of a net.
class DelayedPeers final : public search::detail::Peers {
 public:
  using Clock = std::chrono::steady_clock;
  using Message = search::detail::ExchangeMessage;
  using Way = search::detail::Way;

  DelayedPeers(DelayedNet& net, std::uint16_t own) : net_(net), own_(own) {}

  void send(const Way& to, const Message& message, const Way& /*on_behalf_of*/) override {
    const std::uint16_t other = to.front();
    if (net_.has_rule && message.kind == Message::Says::kResult) {
      net_.refuses_until[own_] = (Clock::now() + 2 * net_.delay).time_since_epoch().count();
    }
    runtime::this_thread::sleep_for(net_.delay);
    if (message.kind != Message::Says::kAsk || !refuses(other)) {
      return net_.exchanges[other]->receive({own_}, message);
    }
    runtime::this_thread::sleep_for(net_.delay);
    net_.exchanges[own_]->receive({other}, {.kind = Message::Says::kNone, .ask = message.ask});
  }

  std::vector<std::uint16_t> neighbours() const override {
    std::vector<std::uint16_t> others;
    for (std::uint16_t other = 0; other < net_.refuses_until.size(); ++other) {
      if (other != own_) others.push_back(other);
    }
    return others;
  }
  bool is_here(std::uint16_t /*neighbour*/) const noexcept override { return false; }
  bool has_others_behind() const noexcept override { return false; }
  std::vector<Way> newly_lost() noexcept override { return {}; }

 private:
  bool refuses(std::uint16_t process) const {
    return Clock::now().time_since_epoch().count() < net_.refuses_until[process];
  }

  DelayedNet& net_;
  const std::uint16_t own_;
};

}  // namespace kumiko::bench
