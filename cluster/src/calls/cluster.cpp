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
  node_of(here).check(rank);
  return here.call(rank, Here::Way::kInline, function, pack);
}

void detail::Inline::call_later(const Here& here, int rank, const Function& function, Packer pack,
                                std::unique_ptr<Pending> pending) {
  node_of(here).check(rank);
  here.call_later(rank, Here::Way::kInline, function, pack, std::move(pending));
}

void detail::Inline::write(const Here& here, int rank, const Function& function, Packer pack,
                           Body& body, std::unique_ptr<Pending> written) {
  Node& node = node_of(here);
  node.check(rank);
  node.call_later({rank, Kind::kWrite, here.depth_, function, here.limits_, &body}, pack,
                  std::move(written));
}

void detail::collect(const Here& here, Collection what, Packer pack,
                     std::unique_ptr<Pending> pending) {
  node_of(here).check(what.root);
  node_of(here).collect(what, pack, std::move(pending));
}

int Here::rank() const noexcept { return node_->rank(); }
int Here::size() const noexcept { return node_->size(); }

bool Here::is_leaving(int rank) const {
  node_->check(rank);
  return node_->is_leaving(rank);
}

bool Here::is_lost(int rank) const {
  node_->check(rank);
  return node_->is_lost(rank);
}

bool Here::is_own(int rank) const {
  node_->check(rank);
  return rank == node_->rank();
}

runtime::Runtime& Here::runtime() const noexcept { return node_->runtime(); }
std::shared_ptr<const void> Here::kept_node() const { return node_->shared_from_this(); }

detail::Answer Here::call(int rank, Way way, const detail::Function& function,
                          detail::Packer pack) const {
  const auto kind = way == Way::kInline ? detail::Kind::kInline : detail::Kind::kInvoke;
  return node_->call({rank, kind, depth_, function, limits_}, pack);
}

void Here::call_later(int rank, Way way, const detail::Function& function, detail::Packer pack,
                      std::unique_ptr<detail::Pending> pending) const {
  const auto kind = way == Way::kInline ? detail::Kind::kInline : detail::Kind::kInvoke;
  node_->call_later({rank, kind, depth_, function, limits_}, pack, std::move(pending));
}

void Here::send_post(int rank, Way way, const detail::Function& function,
                     detail::Packer pack) const {
  const auto kind = way == Way::kInline ? detail::Kind::kInlinePost : detail::Kind::kPost;
  node_->post({rank, kind, depth_, function, limits_}, pack);
}

bool Here::send_item(int rank, const detail::Function& function,
                     std::span<const std::byte> item) const {
  if (is_own(rank)) return false;
  node_->post_item({rank, detail::Kind::kInlinePost, depth_, function, limits_}, item);
  return true;
}

void Here::count_own_post() const noexcept { node_->count_own_post(); }
void Here::count_own_end(detail::Node& node) noexcept { node.count_end_of_post(); }
void Here::quiesce() const { node_->quiesce(limits_); }

Cluster::Cluster(runtime::Runtime& runtime, ClusterOptions options)
    : node_(std::make_shared<detail::Node>(runtime, options)) {}

Cluster::Cluster(runtime::Runtime& runtime, std::unique_ptr<Link> link, ClusterOptions options)
    : node_(std::make_shared<detail::Node>(runtime, std::move(link), options)) {
  if (node_->size() > 1) runtime.attach(node_);
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

Here Cluster::here() const noexcept { return {*node_, node_->rank(), 0}; }
void Cluster::leave() { node_->leave(); }
void Cluster::abandon(std::string_view reason) { node_->abandon(reason); }
ClusterStatistics Cluster::statistics() const { return node_->statistics(); }

}  // namespace kumiko::cluster
