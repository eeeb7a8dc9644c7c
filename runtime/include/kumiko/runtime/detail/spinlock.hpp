// A test-and-test-and-set lock for critical sections of a few instructions.
#pragma once

#include <atomic>

namespace kumiko::runtime::detail {

/// A lock for a few instructions that never suspend: test, then test-and-set.
///
/// Waiters pause, and after a while give their core away with sched_yield, so that a holder that
/// the kernel preempted gets on even if there are more workers than cores. The store in unlock()
/// is the last access: an object may be destroyed by whoever locked its SpinLock next.
class SpinLock {
 public:
  void lock() noexcept {
    if (!try_lock()) lock_contended();
  }

  bool try_lock() noexcept {
    // acquire: pairs with the release in unlock().
    return !locked_.exchange(true, std::memory_order_acquire);
  }

  void unlock() noexcept {
    // release: pairs with the acquire in try_lock().
    locked_.store(false, std::memory_order_release);
  }

 private:
  void lock_contended() noexcept;

  std::atomic<bool> locked_{false};
};

}  // namespace kumiko::runtime::detail
