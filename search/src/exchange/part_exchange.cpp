#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/program.hpp>
#include <kumiko/cluster/twin.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/search/search.hpp>

#include "core/exchange_message.hpp"
#include "core/or_end.hpp"
#include "exchange/exchange.hpp"
#include "exchange/part_types.hpp"
#include "record/search_record.hpp"

namespace kumiko::search {

namespace {

using cluster::Here;
using detail::Exchange;
using detail::ExchangeMessage;
using detail::Way;

/// The rank that collects the logs.
constexpr int kCollector = 0;

/// Returns whether nothing more comes from a rank. A rank that leaves the cluster has left the
/// exchange before; messages that a lost rank has sent may be lost, too.
bool has_gone(const Here& here, int rank) { return here.is_lost(rank) || here.is_leaving(rank); }

/// The other ranks of a cluster.
class RankPeers final : public detail::Peers {
 public:
  /// \param are_here  for each rank, whether it is on this machine
  RankPeers(const Here& here, std::vector<bool> are_here)
      : here_(here),
        are_here_(std::move(are_here)),
        known_as_lost_(static_cast<std::size_t>(here.size())) {}

  /// To be called before any message is sent.
  void set_sender(std::function<void(int rank, const ExchangeMessage&)> sender) {
    sender_ = std::move(sender);
  }

  void send(const Way& to, const ExchangeMessage& message, const Way& /*on_behalf_of*/) override {
    try {
      sender_(to.front(), message);
    } catch (const std::exception&) {
      // The rank is lost, which newly_lost() reports, or the message is, which the next ask finds.
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

  bool is_here(std::uint16_t rank) const noexcept override { return are_here_[rank]; }
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
  bool is_gone(int rank) const { return has_gone(here_, rank); }

  const Here here_;
  std::function<void(int, const ExchangeMessage&)> sender_;
  const std::vector<bool> are_here_;
  std::vector<bool> known_as_lost_;
};

}  // namespace

struct PartExchange::Members {
  explicit Members(const Here& place) : here(place) {}

  void receive(int from, std::span<const std::byte> bytes) {
    const Way way{static_cast<std::uint16_t>(from)};
    const ExchangeMessage message = detail::decode(bytes);
    if (message.kind == ExchangeMessage::Says::kLog) return logs.add(way, message);
    exchange->receive(way, message);
  }
  /// Has another rank receive a message. Throws if it is lost, or there is no memory.
  void send(int rank, const ExchangeMessage& message) const {
    const Frame frame = detail::encode(message);
    const auto receive = [](Members& there, const Here& at, std::span<const std::byte> bytes) {
      there.receive(at.caller(), bytes);
    };
    twin->post(rank, receive, std::span<const std::byte>(frame));
  }
  /// Sends the log of this rank, or waits until the others have sent theirs or are gone.
  void exchange_logs() const;

  const Here here;
  std::shared_ptr<Exchange> exchange = {};
  detail::ReceivedLogs logs = {};
  bool has_left = false;
  std::optional<cluster::Twin<Members>> twin = {};
};

PartExchange::PartExchange(cluster::Cluster& cluster) {
  detail::check_part_types();
  const Here here = cluster.here();
  const std::uint64_t machine = cluster::machine_id();
  std::vector<bool> are_here;
  for (const std::uint64_t other : cluster::all_gather(here, machine).get()) {
    are_here.push_back(machine != 0 && other == machine);
  }
  auto peers = std::make_unique<RankPeers>(here, std::move(are_here));
  RankPeers& ranks = *peers;
  members_ = std::make_unique<Members>(here);
  members_->exchange = std::make_shared<Exchange>(here.runtime(), std::move(peers));
  if (cluster.size() == 1) return;
  ranks.set_sender([members = members_.get()](int rank, const ExchangeMessage& message) {
    members->send(rank, message);
  });
  members_->twin.emplace(here, *members_);
  cluster::barrier(here).get();  // all can answer now
  members_->exchange->begin();
}

PartExchange::~PartExchange() {
  detail::or_end([this] { leave(); });
}

Outside& PartExchange::outside() noexcept { return members_->exchange->own_place(); }

void PartExchange::leave() {
  if (members_->has_left) return;
  if (members_->exchange->is_searching()) {
    throw std::logic_error(
        "a PartExchange is left while a Search of this rank is running; wait until the Search has "
        "ended");
  }
  members_->has_left = true;
  members_->exchange->wait_for_ends();
  members_->exchange->end();
  members_->exchange_logs();
  members_->twin.reset();
}

void PartExchange::Members::exchange_logs() const {
  if (here.rank() != kCollector) {
    try {
      send(kCollector, detail::message_of(exchange->log()));
    } catch (const std::exception&) {
      // Rank 0 is lost, or there is no memory. The logs of others have the parts of this rank.
    }
    return;
  }
  const auto awaits = [&](int rank) {
    return rank != kCollector && !logs.has({static_cast<std::uint16_t>(rank)}) &&
           !has_gone(here, rank);
  };
  for (int rank = 0; rank < here.size(); ++rank) {
    while (awaits(rank)) runtime::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string PartExchange::record(std::string_view title) const {
  if (!members_->has_left || members_->here.rank() != kCollector) {
    throw std::logic_error(
        "the record of a PartExchange is known to rank 0 only, after leave(); ask for it there");
  }
  std::vector<detail::ReceivedLog> logs;
  logs.push_back({{kCollector}, members_->exchange->log()});
  for (detail::ReceivedLog& other : members_->logs.all()) logs.push_back(std::move(other));
  return detail::record_of(title, std::move(logs), detail::Ways::kRanks);
}

ExchangeStatistics PartExchange::statistics() const { return members_->exchange->statistics(); }

}  // namespace kumiko::search
