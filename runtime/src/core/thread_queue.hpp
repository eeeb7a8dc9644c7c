// A first-in, first-out queue of runnable threads with a lock, for what is rare.
#pragma once

#include <atomic>
#include <cstddef>

#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::runtime::detail {

struct Descriptor;

/// A queue of runnable threads, first in, first out, for any number of threads on both sides. For
/// what is rare: threads that yielded, and those made runnable from outside the workers.
class ThreadQueue {
 public:
  ThreadQueue() = default;
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;

  void push(Descriptor* thread) noexcept;

  /// The oldest thread, or nullptr. Cost if there is none: one load.
  Descriptor* pop() noexcept;

  /// A hint, unless the caller has a full barrier in common with the last push (see Idle).
  bool empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

  /// A statistic.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  SpinLock lock_;
  Descriptor* first_ = nullptr;
  Descriptor* last_ = nullptr;
  std::atomic<std::size_t> size_{0};  ///< written under the lock
};

}  // namespace kumiko::runtime::detail
