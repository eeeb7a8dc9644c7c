#include <cstdio>
#include <exception>
#include <utility>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>

#include "calls/message.hpp"
#include "calls/node.hpp"

namespace kumiko::cluster {

detail::Node& detail::node_of(const Here& here) noexcept { return *here.node_; }

detail::Answer detail::Inline::call(const Here& here, int rank, const Function& function,
                                    Packer pack) {
  node_of(here).endpoint().check(rank);
  return here.call(rank, Here::Way::kInline, function, pack);
}

void detail::Inline::call_later(const Here& here, int rank, const Function& function, Packer pack,
                                std::unique_ptr<Pending> pending) {
  node_of(here).endpoint().check(rank);
  here.call_later(rank, Here::Way::kInline, function, pack, std::move(pending));
}

void detail::Inline::write(const Here& here, int rank, const Function& function, Packer pack,
                           Body& body, std::unique_ptr<Pending> written) {
  Node& node = node_of(here);
  node.endpoint().check(rank);
  node.calls().call_later({rank, Kind::kWrite, here.depth_, function, here.limits_, &body}, pack,
                          std::move(written));
}

void detail::collect(const Here& here, Collection what, Packer pack,
                     std::unique_ptr<Pending> pending) {
  node_of(here).endpoint().check(what.root);
  node_of(here).collections().begin(what, pack, std::move(pending));
}

int Here::rank() const noexcept { return node_->endpoint().rank; }
int Here::size() const noexcept { return node_->endpoint().size; }

bool Here::is_leaving(int rank) const {
  node_->endpoint().check(rank);
  return node_->endpoint().peer(rank).has_left;
}

bool Here::is_lost(int rank) const {
  node_->endpoint().check(rank);
  return node_->endpoint().peer(rank).is_lost;
}

bool Here::is_own(int rank) const {
  node_->endpoint().check(rank);
  return rank == node_->endpoint().rank;
}

runtime::Runtime& Here::runtime() const noexcept { return node_->endpoint().runtime; }
std::shared_ptr<const void> Here::kept_node() const { return node_->shared_from_this(); }

detail::Answer Here::call(int rank, Way way, const detail::Function& function,
                          detail::Packer pack) const {
  const auto kind = way == Way::kInline ? detail::Kind::kInline : detail::Kind::kInvoke;
  return node_->calls().call({rank, kind, depth_, function, limits_}, pack);
}

void Here::call_later(int rank, Way way, const detail::Function& function, detail::Packer pack,
                      std::unique_ptr<detail::Pending> pending) const {
  const auto kind = way == Way::kInline ? detail::Kind::kInline : detail::Kind::kInvoke;
  node_->calls().call_later({rank, kind, depth_, function, limits_}, pack, std::move(pending));
}

void Here::send_post(int rank, Way way, const detail::Function& function,
                     detail::Packer pack) const {
  const auto kind = way == Way::kInline ? detail::Kind::kInlinePost : detail::Kind::kPost;
  node_->calls().post({rank, kind, depth_, function, limits_}, pack);
}

bool Here::send_item(int rank, const detail::Function& function,
                     std::span<const std::byte> item) const {
  if (is_own(rank)) return false;
  node_->calls().post_item({rank, detail::Kind::kInlinePost, depth_, function, limits_}, item);
  return true;
}

void Here::count_own_post() const noexcept { node_->calls().count_own_post(); }
void Here::count_own_end(detail::Node& node) noexcept { node.calls().count_ends(1); }
void Here::quiesce() const { node_->calls().quiesce(limits_); }

Cluster::Cluster(runtime::Runtime& runtime, ClusterOptions options)
    : node_(std::make_shared<detail::Node>(runtime, nullptr, options)) {}

Cluster::Cluster(runtime::Runtime& runtime, std::unique_ptr<Link> link, ClusterOptions options)
    : node_(std::make_shared<detail::Node>(runtime, std::move(link), options)) {
  if (size() > 1) runtime.attach({node_, &node_->poller()});
}

Cluster::~Cluster() {
  try {
    if (std::uncaught_exceptions() > exceptions_) {
      abandon("it has ended by an exception");
    } else {
      leave();
    }
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "kumiko: rank %d has not left its cluster in order: %s\n", rank(),
                 exception.what());
  }
}

Here Cluster::here() const noexcept { return {*node_, node_->endpoint().rank, 0}; }
void Cluster::leave() { node_->membership().leave(); }
void Cluster::abandon(std::string_view reason) { node_->membership().abandon(reason); }

ClusterStatistics Cluster::statistics() const {
  const auto read = [](const auto& counter) { return counter.load(std::memory_order_relaxed); };
  const detail::Counters& counters = node_->endpoint().counters;
  return {read(counters.messages_sent), read(counters.messages_received),
          read(counters.frames_sent),   read(counters.bytes_sent),
          read(counters.credit_waits),  read(counters.polls),
          read(counters.credits_early)};
}

}  // namespace kumiko::cluster
