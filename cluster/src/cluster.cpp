#include <kumiko/cluster/cluster.hpp>

#include <exception>

#include "message.hpp"
#include "node.hpp"

namespace kumiko::cluster {

int Here::rank() const noexcept { return node_->rank(); }
int Here::size() const noexcept { return node_->size(); }

bool Here::is_lost(int rank) const {
  node_->check(rank);
  return node_->is_lost(rank);
}

Frame Here::empty_message() {
  Frame frame;
  frame.reserve(256);
  frame.resize(sizeof(detail::FrameHeader) + sizeof(detail::MessageHeader));
  return frame;
}

bool Here::is_own(int rank) const {
  node_->check(rank);
  return rank == node_->rank();
}

runtime::Runtime& Here::runtime() const noexcept { return node_->runtime(); }

detail::Answer Here::call(int rank, Way way, const detail::Function& function,
                          Frame message) const {
  const auto kind = way == Way::kInline ? detail::Kind::kInline : detail::Kind::kInvoke;
  return node_->call(rank, kind, function, std::move(message), depth_, limits_);
}

void Here::call_later(int rank, const detail::Function& function, Frame message,
                      std::unique_ptr<detail::Pending> pending) const {
  node_->call_later(rank, function, std::move(message), depth_, limits_, std::move(pending));
}

void Here::send_post(int rank, const detail::Function& function, Frame message) const {
  node_->post(rank, function, std::move(message), depth_, limits_);
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
  if (std::uncaught_exceptions() > exceptions_) {
    abandon("it has ended by an exception");
  } else {
    leave();
  }
}

Here Cluster::here() const noexcept { return {*node_, node_->rank(), 0}; }
void Cluster::leave() { node_->leave(); }
void Cluster::abandon(std::string_view reason) noexcept { node_->abandon(reason); }
ClusterStatistics Cluster::statistics() const { return node_->statistics(); }

}  // namespace kumiko::cluster
