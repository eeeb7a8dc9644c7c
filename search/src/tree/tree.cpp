#include <utility>

#include <kumiko/search/tree.hpp>

#include "tree/core.hpp"

namespace kumiko::search {

Tree::Tree(runtime::Runtime& runtime, TreeReceiver& receiver, TreeOptions options)
    : core_(std::make_unique<detail::tree::Core>(runtime, receiver, std::move(options))) {}

Tree::~Tree() { leave(); }

runtime::io::Address Tree::listen(const runtime::io::Address& address) {
  return core_->listen(address);
}

void Tree::join(const runtime::io::Address& address) { core_->join(address); }

void Tree::send(const Route& to, const Frame& frame, const Route& on_behalf_of) {
  core_->send(to, frame, on_behalf_of);
}

std::vector<std::uint16_t> Tree::neighbours() const { return core_->neighbours(); }

void Tree::leave() noexcept { core_->leave(); }

TreeStatistics Tree::statistics() const { return core_->statistics(); }

}  // namespace kumiko::search
