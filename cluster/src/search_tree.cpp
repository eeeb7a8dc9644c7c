#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/search_tree.hpp>
#include <kumiko/runtime/future.hpp>

#include "exchange.hpp"
#include "exchange_message.hpp"
#include "part_types.hpp"

namespace kumiko::cluster {

namespace detail {

/// The neighbours in a tree, and those behind them.
class TreePeers final : public Peers {
 public:
  /// Until there is one, this process has no peers.
  void connect(Tree& tree) noexcept { tree_ = &tree; }

  void send(const Way& to, const ExchangeMessage& message, const Way& on_behalf_of) override {
    tree_->send(to, encode(message), on_behalf_of);
  }
  /// Not by the tree, whose lock a thread would be suspended for.
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
  bool has_others_behind() const noexcept override { return true; }
  /// The tree tells by itself.
  std::vector<Way> newly_lost() noexcept override { return {}; }

 private:
  Tree* tree_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<std::uint16_t> links_;  ///< guarded
};

/// Hands on what the tree brings, and keeps how it has ended.
class FromTree final : public TreeReceiver {
 public:
  FromTree(std::shared_ptr<Exchange> exchange, TreePeers& peers,
           std::function<void(const std::string&)> told)
      : exchange_(std::move(exchange)), peers_(peers), told_(std::move(told)) {}

  /// Before the tree has neighbours.
  void connect(Tree& tree) noexcept { tree_ = &tree; }

  void receive(const Route& from, Frame frame) override {
    const ExchangeMessage message = detail::decode(frame);
    if (message.kind != ExchangeMessage::Says::kEnd) return exchange_->receive(from, message);
    if (from != Route{0}) return;
    say_done();
    end({HelpEnd::kSearchDone});
  }
  void joined(std::uint16_t link) override {
    peers_.joined(link);
    if (told_ && link != 0) told_("process " + std::to_string(link) + " has joined");
  }
  void lost(std::uint16_t link, const std::string& reason) override {
    peers_.lost(link);
    exchange_->lost({link});
    if (link == 0) return end({HelpEnd::kParentLost, reason});
    if (told_) told_("process " + std::to_string(link) + " has gone: " + reason);
  }

  /// Tells those who have joined here, and they theirs, that the search is done.
  void say_done() {
    ExchangeMessage done;
    done.kind = ExchangeMessage::Says::kEnd;
    for (const std::uint16_t link : tree_->neighbours()) {
      if (link != 0) tree_->send({link}, detail::encode(done));
    }
  }

  /// Assigns what help() waits for, once.
  void end(const HelpEnd& how) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_ended_, true)) ended_.set_value(how);
  }
  runtime::Future<HelpEnd> ended() { return ended_.get_future(); }

 private:
  const std::shared_ptr<Exchange> exchange_;
  TreePeers& peers_;  ///< the exchange's
  const std::function<void(const std::string&)> told_;
  Tree* tree_ = nullptr;
  std::mutex mutex_;
  bool has_ended_ = false;
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

  /// Serves the links while the others compute.
  runtime::Runtime links{{.workers = 1}};
  std::shared_ptr<detail::Exchange> exchange;
  detail::FromTree receiver;
  Tree tree;
  bool tells_of_end = true;
};

SearchTree::SearchTree(runtime::Runtime& runtime, TreeOptions options,
                       std::function<void(const std::string&)> told) {
  detail::check_part_types();
  options.program = detail::number_functions();
  auto peers = std::make_unique<detail::TreePeers>();
  detail::TreePeers& kept = *peers;
  members_ = std::make_unique<Members>(runtime, std::move(peers), kept, std::move(options),
                                       std::move(told));
  members_->exchange->begin();
}

SearchTree::~SearchTree() {
  members_->exchange->end();
  if (members_->tells_of_end) members_->receiver.say_done();
  members_->tree.leave();
}

runtime::io::Address SearchTree::listen(const runtime::io::Address& address) {
  return members_->tree.listen(address);
}

void SearchTree::join(const runtime::io::Address& address) {
  members_->tree.join(address);
  members_->tells_of_end = false;
}

void SearchTree::interrupt() noexcept { members_->tells_of_end = false; }

runtime::detail::Outside& SearchTree::outside() noexcept { return members_->exchange->own_place(); }

HelpEnd SearchTree::help(std::stop_token stop) {
  const std::stop_callback on_stop(std::move(stop),
                                   [this] { members_->receiver.end({HelpEnd::kStopped}); });
  return members_->receiver.ended().get();
}

std::size_t SearchTree::neighbours() const { return members_->tree.neighbours().size(); }
ExchangeStatistics SearchTree::statistics() const { return members_->exchange->statistics(); }
TreeStatistics SearchTree::links() const { return members_->tree.statistics(); }

}  // namespace kumiko::cluster
