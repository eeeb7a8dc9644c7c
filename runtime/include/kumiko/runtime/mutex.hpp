#pragma once

#include <atomic>

#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

/// Mutual exclusion between lightweight threads, OS threads, or both. Works with std::lock_guard,
/// std::unique_lock and std::scoped_lock. Not recursive.
///
/// Fair: unlock() hands the mutex to the thread that has waited longest. May be destroyed by
/// whoever locked it last, even if the previous owner has not returned from unlock() yet.
/// Cost without contention: one atomic read-modify-write each for lock() and unlock().
class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  /// Suspends a lightweight caller (blocks an OS thread) until the mutex is its own.
  void lock() noexcept {
    if (!try_lock()) lock_contended();
  }

  bool try_lock() noexcept {
    State expected = State::kFree;
    // acquire: pairs with the release in unlock().
    return state_.compare_exchange_strong(expected, State::kLocked, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  /// Only for the owner, which is the thread, not the worker. Does not suspend.
  void unlock() noexcept {
    State expected = State::kLocked;
    // release: pairs with the acquire in try_lock() and lock_contended().
    if (!state_.compare_exchange_strong(expected, State::kFree, std::memory_order_release,
                                        std::memory_order_relaxed)) {
      hand_over();
    }
  }

 private:
  /// kContended: locked, and waiters_ is not empty. It is entered and left only under guard_.
  enum class State : int { kFree, kLocked, kContended };

  void lock_contended() noexcept;
  void hand_over() noexcept;

  std::atomic<State> state_{State::kFree};
  detail::SpinLock guard_;
  detail::WaitQueue waiters_;
};

}  // namespace kumiko::runtime
