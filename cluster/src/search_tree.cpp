#include <mutex>
#include <utility>
#include <vector>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/search_tree.hpp>
#include <kumiko/runtime/future.hpp>

#include "exchange.hpp"
#include "exchange_message.hpp"
#include "part_types.hpp"

namespace kumiko::cluster {

namespace {

using detail::Exchange;
using detail::ExchangeMessage;
using detail::Way;

/// The neighbours in a tree, and those behind them.
class TreePeers final : public detail::Peers {
 public:
  /// Until there is one, this process has no peers.
  void connect(Tree& tree) noexcept { tree_ = &tree; }

  void send(const Way& to, const ExchangeMessage& message, const Way& on_behalf_of) override {
    tree_->send(to, detail::encode(message), on_behalf_of);
  }
  std::vector<std::uint16_t> neighbours() const override {
    if (tree_ == nullptr) return {};
    return tree_->neighbours();
  }
  bool has_others_behind() const noexcept override { return true; }
  /// The tree tells by itself.
  std::vector<Way> newly_lost() noexcept override { return {}; }

 private:
  Tree* tree_ = nullptr;
};

}  // namespace

namespace detail {

/// Hands on what the tree brings, and keeps what has become of the parent.
class FromTree final : public TreeReceiver {
 public:
  explicit FromTree(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  void receive(const Route& from, Frame frame) override {
    exchange_->receive(from, detail::decode(frame));
  }
  void joined(std::uint16_t /*link*/) override {}
  void lost(std::uint16_t link, const std::string& reason) override {
    exchange_->lost({link});
    if (link == 0) tell(reason);
  }

  /// Assigns what help() waits for, once.
  void tell(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(told_, true)) parent_lost_.set_value(reason);
  }
  runtime::Future<std::string> parent_lost() { return parent_lost_.get_future(); }

 private:
  const std::shared_ptr<Exchange> exchange_;
  std::mutex mutex_;
  bool told_ = false;
  runtime::Promise<std::string> parent_lost_;
};

}  // namespace detail

struct SearchTree::Members {
  Members(runtime::Runtime& runtime, std::unique_ptr<TreePeers> peers, TreePeers& of_exchange,
          TreeOptions options)
      : exchange(std::make_shared<Exchange>(runtime, std::move(peers))),
        receiver(exchange),
        tree(links, receiver, std::move(options)) {
    of_exchange.connect(tree);
  }

  /// Serves the links while the others compute.
  runtime::Runtime links{{.workers = 1}};
  std::shared_ptr<Exchange> exchange;
  detail::FromTree receiver;
  Tree tree;
};

SearchTree::SearchTree(runtime::Runtime& runtime, TreeOptions options) {
  detail::check_part_types();
  options.program = detail::number_functions();
  auto peers = std::make_unique<TreePeers>();
  TreePeers& kept = *peers;
  members_ = std::make_unique<Members>(runtime, std::move(peers), kept, std::move(options));
  members_->exchange->begin();
}

SearchTree::~SearchTree() {
  members_->exchange->end();
  members_->tree.leave();
}

runtime::io::Address SearchTree::listen(const runtime::io::Address& address) {
  return members_->tree.listen(address);
}

void SearchTree::join(const runtime::io::Address& address) { members_->tree.join(address); }

runtime::detail::Outside& SearchTree::outside() noexcept { return members_->exchange->own_place(); }

std::string SearchTree::help(std::stop_token stop) {
  const std::stop_callback on_stop(std::move(stop), [this] { members_->receiver.tell({}); });
  return members_->receiver.parent_lost().get();
}

std::size_t SearchTree::neighbours() const { return members_->tree.neighbours().size(); }
ExchangeStatistics SearchTree::statistics() const { return members_->exchange->statistics(); }
TreeStatistics SearchTree::links() const { return members_->tree.statistics(); }

}  // namespace kumiko::cluster
