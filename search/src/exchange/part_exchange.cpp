#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/program.hpp>
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
using detail::ReceivedLogs;
using detail::Way;

/// The rank that collects the logs.
constexpr int kCollector = 0;

/// The exchange of a rank, and the logs that it has received.
struct Receiving {
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<ReceivedLogs> logs;
};

/// The exchanges of the ranks in this process, by which messages find theirs.
class Exchanges {
 public:
  void add(const Here& here, Receiving receiving, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    last_ = std::max(last_, number);
    if (find(here) == exchanges_.end()) {
      return exchanges_.push_back({here, std::move(receiving), number});
    }
    throw std::logic_error(
        "this rank already has a PartExchange; call leave() on it before making another one");
  }
  void remove(const Here& here) {
    const std::lock_guard lock(mutex_);
    std::erase_if(exchanges_, [&](const Known& each) { return each.here == here; });
  }
  /// Returns nothing if the rank has no exchange with this number.
  Receiving of(const Here& here, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = find(here);
    const bool is_it = found != exchanges_.end() && found->number == number;
    return is_it ? found->receiving : Receiving{};
  }
  /// A number that no exchange of this process has had.
  std::uint64_t unused_number() {
    const std::lock_guard lock(mutex_);
    return last_ + 1;
  }

 private:
  struct Known {
    Here here;
    Receiving receiving;
    std::uint64_t number;
  };

  std::vector<Known>::iterator find(const Here& here) {
    return std::ranges::find(exchanges_, here, &Known::here);
  }

  std::mutex mutex_;
  std::vector<Known> exchanges_;  ///< few, since a process has few ranks
  std::uint64_t last_ = 0;
};

Exchanges& exchanges() {
  static Exchanges instance;
  return instance;
}

/// Receives a message for the rank's exchange with this number, not for an earlier or later one.
struct Deliver {
  void operator()(const Here& here, std::uint64_t number, std::span<const std::byte> bytes) const {
    const Receiving to = exchanges().of(here, number);
    if (to.exchange == nullptr) return;
    const Way from{static_cast<std::uint16_t>(here.caller())};
    const ExchangeMessage message = detail::decode(bytes);
    if (message.kind == ExchangeMessage::Says::kLog) return to.logs->add(from, message);
    to.exchange->receive(from, message);
  }
};

/// Returns whether nothing more comes from a rank. A rank that leaves the cluster has left the
/// exchange before; messages that a lost rank has sent may be lost, too.
bool has_gone(const Here& here, int rank) { return here.is_lost(rank) || here.is_leaving(rank); }

/// Introduces the exchange of a rank: the least number that it may get, and the machine.
struct Introduced {
  std::uint64_t number;
  std::uint64_t machine;  ///< 0: not known
};

/// The other ranks of a cluster.
class RankPeers final : public detail::Peers {
 public:
  /// \param are_here  for each rank, whether it is on this machine
  RankPeers(const Here& here, std::uint64_t number, std::vector<bool> are_here)
      : here_(here),
        number_(number),
        are_here_(std::move(are_here)),
        known_as_lost_(static_cast<std::size_t>(here.size())) {}

  void send(const Way& to, const ExchangeMessage& message, const Way& /*on_behalf_of*/) override {
    const Frame frame = detail::encode(message);
    try {
      here_.post(to.front(), Deliver(), number_, std::span<const std::byte>(frame));
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
  const std::uint64_t number_;
  const std::vector<bool> are_here_;
  std::vector<bool> known_as_lost_;
};

}  // namespace

struct PartExchange::Members {
  const Here here;
  const std::uint64_t number;
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<detail::ReceivedLogs> logs = std::make_shared<detail::ReceivedLogs>();
  bool has_left = false;

  /// Sends the log of this rank, or waits until the others have sent theirs or are gone.
  void exchange_logs() const;
};

PartExchange::PartExchange(cluster::Cluster& cluster) {
  detail::check_part_types();
  const Here here = cluster.here();
  const std::uint64_t machine = cluster::machine_id();
  // All ranks are here when the largest number of all is known.
  std::uint64_t number = 0;
  std::vector<bool> are_here;
  for (const Introduced& rank :
       cluster::all_gather(here, Introduced{exchanges().unused_number(), machine}).get()) {
    number = std::max(number, rank.number);
    are_here.push_back(machine != 0 && rank.machine == machine);
  }
  members_ = std::make_unique<Members>(
      Members{here, number,
              std::make_shared<Exchange>(
                  here.runtime(), std::make_unique<RankPeers>(here, number, std::move(are_here)))});
  if (cluster.size() == 1) return;
  exchanges().add(here, {members_->exchange, members_->logs}, number);
  try {
    cluster::barrier(here).get();
    members_->exchange->begin();
  } catch (...) {
    exchanges().remove(here);
    throw;
  }
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
  exchanges().remove(members_->here);
}

void PartExchange::Members::exchange_logs() const {
  if (here.rank() != kCollector) {
    const Frame frame = detail::encode(detail::message_of(exchange->log()));
    try {
      here.post(kCollector, Deliver(), number, std::span<const std::byte>(frame));
    } catch (const std::exception&) {
      // Rank 0 is lost, or there is no memory. The logs of others have the parts of this rank.
    }
    return;
  }
  const auto awaits = [&](int rank) {
    return rank != kCollector && !logs->has({static_cast<std::uint16_t>(rank)}) &&
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
  for (detail::ReceivedLog& other : members_->logs->all()) logs.push_back(std::move(other));
  return detail::record_of(title, std::move(logs), detail::Ways::kRanks);
}

ExchangeStatistics PartExchange::statistics() const { return members_->exchange->statistics(); }

}  // namespace kumiko::search
