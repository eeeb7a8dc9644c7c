#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/search.hpp>

#include "exchange.hpp"
#include "exchange_message.hpp"
#include "node.hpp"
#include "part_types.hpp"

namespace kumiko::cluster {

namespace {

using detail::Exchange;
using detail::ExchangeMessage;
using detail::Node;
using detail::Way;

/// The exchanges of the ranks in this process, for the messages that come for them.
class Exchanges {
 public:
  void add(const Node& node, std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex_);
    if (exchanges_.try_emplace(&node, std::move(exchange)).second) return;
    throw std::logic_error(
        "a PartExchange of a rank that has one already; let the first leave() before");
  }
  void remove(const Node& node) {
    const std::lock_guard lock(mutex_);
    exchanges_.erase(&node);
  }
  std::shared_ptr<Exchange> of(const Node& node) {
    const std::lock_guard lock(mutex_);
    const auto found = exchanges_.find(&node);
    return found == exchanges_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<const Node*, std::shared_ptr<Exchange>> exchanges_;
};

Exchanges& exchanges() {
  static Exchanges instance;
  return instance;
}

/// A message has come for the rank.
struct Deliver {
  void operator()(const Here& here, std::span<const std::byte> bytes) const {
    const std::shared_ptr<Exchange> exchange = exchanges().of(detail::node_of(here));
    if (exchange == nullptr) return;
    exchange->receive({static_cast<std::uint16_t>(here.caller())}, detail::decode(bytes));
  }
};

/// The other ranks of a cluster.
class RankPeers final : public detail::Peers {
 public:
  explicit RankPeers(const Here& here)
      : here_(here), known_as_lost_(static_cast<std::size_t>(here.size())) {}

  void send(const Way& to, const ExchangeMessage& message, const Way& /*on_behalf_of*/) override {
    const Frame frame = detail::encode(message);
    try {
      here_.post(to.front(), Deliver(), std::span<const std::byte>(frame));
    } catch (const RankLost&) {
      // As newly_lost() says.
    }
  }

  std::vector<std::uint16_t> neighbours() const override {
    std::vector<std::uint16_t> ranks;
    for (int rank = 0; rank < here_.size(); ++rank) {
      if (rank != here_.rank() && !is_gone(rank)) {
        ranks.push_back(static_cast<std::uint16_t>(rank));
      }
    }
    return ranks;
  }

  bool has_others_behind() const noexcept override { return false; }

  std::vector<Way> newly_lost() noexcept override {
    std::vector<Way> lost;
    for (int rank = 0; rank < here_.size(); ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      if (rank == here_.rank() || known_as_lost_[index] || !is_gone(rank)) continue;
      known_as_lost_[index] = true;
      lost.push_back({static_cast<std::uint16_t>(rank)});
    }
    return lost;
  }

 private:
  /// Whoever leaves the cluster has left the exchange before. Where a rank was lost, what it has
  /// posted before may not come any more.
  bool is_gone(int rank) const { return here_.is_lost(rank) || here_.is_leaving(rank); }

  const Here here_;
  std::vector<bool> known_as_lost_;
};

}  // namespace

struct PartExchange::Members {
  Node& node;
  std::shared_ptr<Exchange> exchange;
  bool has_left = false;
};

PartExchange::PartExchange(Cluster& cluster) {
  detail::check_part_types();
  const Here here = cluster.here();
  Node& node = detail::node_of(here);
  members_ = std::make_unique<Members>(
      Members{node, std::make_shared<Exchange>(node.runtime(), std::make_unique<RankPeers>(here))});
  if (cluster.size() == 1) return;
  exchanges().add(node, members_->exchange);
  try {
    barrier(here).get();
    members_->exchange->begin();
  } catch (...) {
    exchanges().remove(node);
    throw;
  }
}

PartExchange::~PartExchange() { leave(); }

runtime::detail::Outside& PartExchange::outside() noexcept {
  return members_->exchange->own_place();
}

void PartExchange::leave() {
  if (std::exchange(members_->has_left, true)) return;
  members_->exchange->wait_for_ends();
  exchanges().remove(members_->node);
  members_->exchange->end();
}

ExchangeStatistics PartExchange::statistics() const { return members_->exchange->statistics(); }

}  // namespace kumiko::cluster
