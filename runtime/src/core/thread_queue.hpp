// A first-in, first-out queue of runnable threads with a lock, for what is rare.
#pragma once

#include <atomic>
#include <cstddef>

#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::runtime::detail {

struct Descriptor;

/// A queue of runnable threads, first in, first out, for any number of threads on both sides. For
/// what is rare: threads whose event has come, and those made runnable from outside the workers.
class ThreadQueue {
 public:
  void push(Descriptor* thread) noexcept;

  /// Takes the oldest thread; nullptr if the queue is empty. Cost of an empty queue: one load.
  Descriptor* pop() noexcept;

  /// Whether the queue is empty: a hint, unless the caller has a full barrier in common with the
  /// last push (see Idle).
  bool empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

  /// How many threads are in the queue: a statistic.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  SpinLock lock_;
  Descriptor* first_ = nullptr;
  Descriptor* last_ = nullptr;
  std::atomic<std::size_t> size_{0};  ///< written under the lock
};

}  // namespace kumiko::runtime::detail
