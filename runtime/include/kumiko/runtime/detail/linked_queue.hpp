// A queue of elements that hold its links themselves.
#pragma once

namespace kumiko::runtime::detail {

/// Nodes in the order of their arrival, linked by two pointers of each. Whoever uses it sees to the
/// locking.
template <class Node, Node* Node::*Next, Node* Node::*Previous>
class LinkedQueue {
 public:
  bool empty() const noexcept { return first_ == nullptr; }

  /// The oldest node, nullptr if there is none.
  Node* front() const noexcept { return first_; }

  void append(Node& node) noexcept {
    node.*Next = nullptr;
    node.*Previous = last_;
    (last_ == nullptr ? first_ : last_->*Next) = &node;
    last_ = &node;
  }

  /// Removes a node, wherever it is; its next one is nullptr then.
  void remove(Node& node) noexcept {
    (node.*Previous == nullptr ? first_ : node.*Previous->*Next) = node.*Next;
    (node.*Next == nullptr ? last_ : node.*Next->*Previous) = node.*Previous;
    node.*Next = nullptr;
  }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

}  // namespace kumiko::runtime::detail
