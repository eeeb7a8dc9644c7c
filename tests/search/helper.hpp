// A process that helps another one to search. It has its own Runtime.
#pragma once

#include <cstdint>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/search_tree.hpp>

namespace kumiko::search::queens {

inline TreeOptions tree_options() { return {.secret = "only the tests know it"}; }

/// Helps from its construction to its destruction.
class Helper {
 public:
  explicit Helper(const runtime::io::Address& parent, bool is_relay = false)
      : tree_(runtime_, tree_options()) {
    if (is_relay) address_ = tree_.listen(runtime::io::Address::loopback());
    tree_.join(parent);
  }

  const runtime::io::Address& address() const { return address_; }
  std::uint64_t taken() const { return tree_.statistics().taken; }
  HelpEnd help() { return tree_.help({}); }

 private:
  runtime::Runtime runtime_{{.workers = 1}};
  SearchTree tree_;
  runtime::io::Address address_;
};

}  // namespace kumiko::search::queens
