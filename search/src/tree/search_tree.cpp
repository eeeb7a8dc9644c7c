#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kumiko/cluster/program.hpp>
#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/future.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/search/search_tree.hpp>

#include "core/exchange_message.hpp"
#include "exchange/exchange.hpp"
#include "exchange/part_types.hpp"
#include "record/search_record.hpp"

namespace kumiko::search {

namespace {

/// The time for which a relay waits for the logs of the processes behind it when the search is
/// done.
constexpr std::chrono::seconds kRelayWaits{5};

}  // namespace

namespace detail {

/// The neighbours in a tree, and the processes behind them.
class TreePeers final : public Peers {
 public:
  /// Called before there are peers.
  void connect(Tree& tree) noexcept { tree_ = &tree; }

  void send(const Way& to, const ExchangeMessage& message, const Way& on_behalf_of) override {
    tree_->send(to, encode(message), on_behalf_of);
  }
  /// Does not ask the tree, since its lock may suspend the caller.
  std::vector<std::uint16_t> neighbours() const override {
    const std::lock_guard lock(mutex_);
    return links_;
  }
  void joined(std::uint16_t link) {
    const std::lock_guard lock(mutex_);
    links_.push_back(link);
  }
  void lost(std::uint16_t link) {
    const std::lock_guard lock(mutex_);
    std::erase(links_, link);
  }
  /// Unknown; round trips show which processes are near.
  bool is_here(std::uint16_t) const noexcept override { return false; }
  bool has_others_behind() const noexcept override { return true; }
  /// TreeEvents reports losses.
  std::vector<Way> newly_lost() noexcept override { return {}; }
  bool finds_losses() const noexcept override { return false; }

 private:
  Tree* tree_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<std::uint16_t> links_;  ///< guarded
};

/// Passes the messages of the tree on to the exchange, and keeps the end of the search.
class TreeEvents final : public TreeReceiver {
 public:
  TreeEvents(std::shared_ptr<Exchange> exchange, TreePeers& peers,
             std::function<void(const std::string&)> told)
      : exchange_(std::move(exchange)), peers_(peers), told_(std::move(told)) {}

  /// Called before the tree has neighbours.
  void connect(Tree& tree) noexcept { tree_ = &tree; }

  void receive(const Route& from, Frame frame) override {
    const ExchangeMessage message = detail::decode(frame);
    if (message.kind == ExchangeMessage::Says::kLog) return take_log(from, message, frame);
    if (message.kind != ExchangeMessage::Says::kEnd) return exchange_->receive(from, message);
    if (from != Route{0}) return;
    is_done_.store(true, std::memory_order_relaxed);
    send_done();
    end({HelpEnd::kSearchDone});
  }
  void joined(std::uint16_t link) override {
    peers_.joined(link);
    exchange_->joined();
    if (told_ && link != 0) told_("process " + std::to_string(link) + " has joined");
  }
  void lost(std::uint16_t link, const std::string& reason) override {
    {
      const std::lock_guard lock(children_mutex_);
      peers_.lost(link);
      children_changed_.notify_all();
    }
    exchange_->lost({link});
    if (link == 0) return end({HelpEnd::kParentLost, reason});
    if (told_) told_("process " + std::to_string(link) + " has gone: " + reason);
  }

  /// Notifies the children that the search is done. They notify theirs.
  void send_done() {
    ExchangeMessage done;
    done.kind = ExchangeMessage::Says::kEnd;
    for (const std::uint16_t link : tree_->neighbours()) {
      if (link != 0) tree_->send({link}, detail::encode(done));
    }
  }

  /// Returns whether the parent has said that the search is done.
  bool is_done() const noexcept { return is_done_.load(std::memory_order_relaxed); }

  /// The logs of other processes; none if there is a parent, which gets them.
  const ReceivedLogs& logs() const noexcept { return logs_; }

  /// Waits until all children have left.
  void wait_for_children(std::chrono::milliseconds patience) {
    std::unique_lock lock(children_mutex_);
    children_changed_.wait_for(lock, patience, [this] {
      const std::vector<std::uint16_t> links = peers_.neighbours();
      return std::all_of(links.begin(), links.end(), [](std::uint16_t link) { return link == 0; });
    });
  }

  /// Sets the result that help() waits for, once.
  void end(const HelpEnd& how) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_ended_, true)) ended_.set_value(how);
  }
  runtime::Future<HelpEnd> ended() { return ended_.get_future(); }

 private:
  /// Passes a log on to the parent, or keeps it if there is none.
  void take_log(const Route& from, const ExchangeMessage& message, const Frame& frame) {
    const std::vector<std::uint16_t> links = peers_.neighbours();
    if (std::find(links.begin(), links.end(), 0) == links.end()) return logs_.add(from, message);
    tree_->send({0}, frame, from);
  }

  const std::shared_ptr<Exchange> exchange_;
  TreePeers& peers_;  ///< of the exchange
  const std::function<void(const std::string&)> told_;
  Tree* tree_ = nullptr;
  ReceivedLogs logs_;
  std::atomic<bool> is_done_{false};
  runtime::Mutex children_mutex_;  ///< for wait_for_children()
  runtime::ConditionVariable children_changed_;
  std::mutex mutex_;
  bool has_ended_ = false;  ///< guarded
  runtime::Promise<HelpEnd> ended_;
};

}  // namespace detail

struct SearchTree::Members {
  Members(runtime::Runtime& runtime, std::unique_ptr<detail::TreePeers> peers,
          detail::TreePeers& of_exchange, TreeOptions options,
          std::function<void(const std::string&)> told)
      : exchange(std::make_shared<detail::Exchange>(runtime, std::move(peers))),
        receiver(exchange, of_exchange, std::move(told)),
        tree(links, receiver, std::move(options)) {
    of_exchange.connect(tree);
    receiver.connect(tree);
  }

  /// Serves the links while all other workers compute.
  runtime::Runtime links{{.workers = 1}};
  std::shared_ptr<detail::Exchange> exchange;
  detail::TreeEvents receiver;
  Tree tree;
  bool has_parent = false;
  bool is_interrupted = false;
  bool has_ended = false;

  /// Ends the exchange, once.
  void end() {
    if (!std::exchange(has_ended, true)) exchange->end();
  }
  /// Sends the log of this process to the parent. If the search is done, waits for those of the
  /// children first.
  void send_log() {
    if (receiver.is_done()) receiver.wait_for_children(kRelayWaits);
    try {
      tree.send({0}, detail::encode(detail::message_of(exchange->log())));
    } catch (const std::exception&) {
      // The logs of other processes have the parts that this one has done.
    }
  }
};

SearchTree::SearchTree(runtime::Runtime& runtime, TreeOptions options,
                       std::function<void(const std::string&)> told) {
  detail::check_part_types();
  options.program = cluster::program_id();
  auto peers = std::make_unique<detail::TreePeers>();
  detail::TreePeers& kept = *peers;
  members_ = std::make_unique<Members>(runtime, std::move(peers), kept, std::move(options),
                                       std::move(told));
  members_->exchange->begin();
}

SearchTree::~SearchTree() {
  members_->end();
  if (members_->has_parent) {
    members_->send_log();
  } else if (!members_->is_interrupted) {
    members_->receiver.send_done();
  }
  members_->tree.leave();
}

runtime::io::Address SearchTree::listen(const runtime::io::Address& address) {
  return members_->tree.listen(address);
}

void SearchTree::join(const runtime::io::Address& address) {
  members_->tree.join(address);
  members_->has_parent = true;
}

void SearchTree::interrupt() noexcept { members_->is_interrupted = true; }

Outside& SearchTree::outside() noexcept { return members_->exchange->own_place(); }

HelpEnd SearchTree::help(std::stop_token stop) {
  const std::stop_callback on_stop(std::move(stop),
                                   [this] { members_->receiver.end({HelpEnd::kStopped}); });
  return members_->receiver.ended().get();
}

std::size_t SearchTree::neighbours() const { return members_->tree.neighbours().size(); }
ExchangeStatistics SearchTree::statistics() const { return members_->exchange->statistics(); }
TreeStatistics SearchTree::links() const { return members_->tree.statistics(); }

std::string SearchTree::end_and_record(std::string_view title, std::chrono::milliseconds patience) {
  if (members_->has_parent) {
    throw std::logic_error(
        "only the process that began the search has its record; ask that process for it");
  }
  members_->end();
  std::vector<detail::ReceivedLog> logs;
  logs.push_back({{}, members_->exchange->log()});
  members_->receiver.send_done();
  members_->receiver.wait_for_children(patience);
  for (detail::ReceivedLog& other : members_->receiver.logs().all())
    logs.push_back(std::move(other));
  return detail::record_of(title, std::move(logs), detail::Ways::kLinks);
}

}  // namespace kumiko::search
