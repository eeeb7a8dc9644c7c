// A two-level free list as Bonwick and Adams's magazines (USENIX 2001): a cache for each worker,
// and a locked depot with which caches exchange batches.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

namespace kumiko::runtime::detail {

/// A chain of nodes that are not in use, linked through Node::next.
template <class Node>
struct Batch {
  Node* first = nullptr;
  std::size_t count = 0;

  void push(Node* node) noexcept {
    node->next = first;
    first = node;
    ++count;
  }

  Node* pop() noexcept {
    Node* const node = first;
    first = node->next;
    --count;
    return node;
  }
};

/// What all workers have in store, one chain under a lock. `Source` makes new nodes:
/// `Batch<Node> make()` returns at least one, or throws and has taken nothing.
template <class Node, class Source>
class Depot {
 public:
  explicit Depot(Source& source) noexcept : source_(source) {}

  /// A batch of up to `count` nodes, at least one. Throws what the source throws.
  /// The lock is not held while the source works, which may take system calls.
  Batch<Node> take(std::size_t count) {
    Batch<Node> taken = take_stored(count);
    if (taken.count != 0) return taken;
    Batch<Node> fresh = source_.make();
    while (taken.count < count && fresh.count != 0) taken.push(fresh.pop());
    give(fresh);
    return taken;
  }

  void give(Batch<Node> batch) noexcept {
    const std::lock_guard lock(mutex_);
    while (batch.count != 0) stored_.push(batch.pop());
  }

 private:
  Batch<Node> take_stored(std::size_t count) noexcept {
    const std::lock_guard lock(mutex_);
    Batch<Node> taken;
    while (taken.count < count && stored_.count != 0) taken.push(stored_.pop());
    return taken;
  }

  Source& source_;
  std::mutex mutex_;
  Batch<Node> stored_;
};

/// One worker's own store, last in, first out, so that what was used last is used next. Exchanges
/// batches with the depot: between two visits there are at least `batch_size` calls.
template <class Node, class Source>
class Cache {
 public:
  Cache(Depot<Node, Source>& depot, std::size_t batch_size) noexcept
      : depot_(depot), batch_size_(batch_size) {}
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache() { depot_.give(std::exchange(stored_, {})); }

  /// Throws what the source throws.
  Node* take() {
    if (stored_.count == 0) [[unlikely]]
      stored_ = depot_.take(batch_size_);
    return stored_.pop();
  }

  /// `node` itself stays in this cache for now; the depot gets others.
  void give(Node* node) noexcept {
    if (stored_.count >= 2 * batch_size_) [[unlikely]]
      give_batch();
    stored_.push(node);
  }

 private:
  [[gnu::noinline]] void give_batch() noexcept {
    Batch<Node> batch;
    while (batch.count < batch_size_) batch.push(stored_.pop());
    depot_.give(batch);
  }

  Depot<Node, Source>& depot_;
  const std::size_t batch_size_;
  Batch<Node> stored_;
};

}  // namespace kumiko::runtime::detail
