// A fair lock with the interface of std::timed_mutex, which suspends lightweight threads that wait.
#pragma once

#include <atomic>
#include <chrono>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

/// Mutual exclusion between lightweight threads, OS threads, or both. Works with std::lock_guard,
/// std::unique_lock and std::scoped_lock. Not recursive.
///
/// Fair: unlock() hands the mutex to the thread that has waited longest. The thread that locked it
/// last may destroy it, even if the previous owner has not yet returned from unlock(). Cost without
/// contention: one atomic read-modify-write each for lock() and unlock().
class Mutex {
 public:
  /// Locks the mutex. Suspends a lightweight caller, or blocks an OS thread, until it is free.
  void lock() noexcept {
    if (!try_lock()) lock_contended(nullptr);
  }

  /// Locks it if it is free. Does not suspend.
  bool try_lock() noexcept {
    State expected = State::kFree;
    // acquire: pairs with the release in unlock().
    return state_.compare_exchange_strong(expected, State::kLocked, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  /// Waits for it as lock() does, for `duration` at most. Returns whether the mutex is locked.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock() || try_lock_contended(detail::deadline_after(duration));
  }

  /// Waits for it as lock() does, until `time` at most. Returns whether the mutex is locked.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock() || detail::wait_by_clock(time, [this](detail::Deadline deadline) {
             return try_lock_contended(deadline);
           });
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
  /// kContended: locked, and waiters_ may not be empty. Entered and left only under guard_.
  enum class State : int { kFree, kLocked, kContended };

  /// `deadline`: nullptr for none. Returns whether the mutex is locked.
  bool lock_contended(const detail::Deadline* deadline) noexcept;
  bool try_lock_contended(detail::Deadline deadline) noexcept { return lock_contended(&deadline); }
  void hand_over() noexcept;

  std::atomic<State> state_{State::kFree};
  detail::SpinLock guard_;
  detail::WaitQueue waiters_;
};

}  // namespace kumiko::runtime
