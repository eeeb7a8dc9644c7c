#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/search.hpp>

#include "exchange.hpp"
#include "exchange_message.hpp"
#include "node.hpp"
#include "or_end.hpp"
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
  void add(const Node& node, std::shared_ptr<Exchange> exchange, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    last_ = std::max(last_, number);
    if (exchanges_.try_emplace(&node, Known{std::move(exchange), number}).second) return;
    throw std::logic_error(
        "a PartExchange of a rank that has one already; let the first leave() before");
  }
  void remove(const Node& node) {
    const std::lock_guard lock(mutex_);
    exchanges_.erase(&node);
  }
  std::shared_ptr<Exchange> of(const Node& node, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = exchanges_.find(&node);
    const bool is_it = found != exchanges_.end() && found->second.number == number;
    return is_it ? found->second.exchange : nullptr;
  }
  /// A number that no exchange of this process has had.
  std::uint64_t unused_number() {
    const std::lock_guard lock(mutex_);
    return last_ + 1;
  }

 private:
  struct Known {
    std::shared_ptr<Exchange> exchange;
    std::uint64_t number;
  };

  std::mutex mutex_;
  std::map<const Node*, Known> exchanges_;
  std::uint64_t last_ = 0;
};

Exchanges& exchanges() {
  static Exchanges instance;
  return instance;
}

/// A message has come for the rank's exchange of this number; not for an earlier one or a later.
struct Deliver {
  void operator()(const Here& here, std::uint64_t number, std::span<const std::byte> bytes) const {
    const std::shared_ptr<Exchange> exchange = exchanges().of(detail::node_of(here), number);
    if (exchange == nullptr) return;
    exchange->receive({static_cast<std::uint16_t>(here.caller())}, detail::decode(bytes));
  }
};

/// The other ranks of a cluster.
class RankPeers final : public detail::Peers {
 public:
  RankPeers(const Here& here, std::uint64_t number)
      : here_(here), number_(number), known_as_lost_(static_cast<std::size_t>(here.size())) {}

  void send(const Way& to, const ExchangeMessage& message, const Way& /*on_behalf_of*/) override {
    const Frame frame = detail::encode(message);
    try {
      here_.post(to.front(), Deliver(), number_, std::span<const std::byte>(frame));
    } catch (const std::exception&) {
      // The rank is lost, as newly_lost() says; or the message is, which the next ask finds.
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
  const std::uint64_t number_;
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
  // All ranks are here when the largest number of all is known.
  const std::uint64_t number = max(here, exchanges().unused_number()).get();
  members_ = std::make_unique<Members>(Members{
      node, std::make_shared<Exchange>(node.runtime(), std::make_unique<RankPeers>(here, number))});
  if (cluster.size() == 1) return;
  exchanges().add(node, members_->exchange, number);
  try {
    barrier(here).get();
    members_->exchange->begin();
  } catch (...) {
    exchanges().remove(node);
    throw;
  }
}

PartExchange::~PartExchange() {
  detail::or_end([this] { leave(); });
}

runtime::detail::Outside& PartExchange::outside() noexcept {
  return members_->exchange->own_place();
}

void PartExchange::leave() {
  if (members_->has_left) return;
  if (members_->exchange->is_searching()) {
    throw std::logic_error("a PartExchange is left while a Search of this rank is under way");
  }
  members_->has_left = true;
  members_->exchange->wait_for_ends();
  exchanges().remove(members_->node);
  members_->exchange->end();
}

ExchangeStatistics PartExchange::statistics() const { return members_->exchange->statistics(); }

}  // namespace kumiko::cluster
