// A fair reader–writer lock with the interface of std::shared_timed_mutex.
#pragma once

#include <chrono>
#include <cstddef>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

/// Locked by one thread exclusively, or by any number of threads shared; for lightweight and OS
/// threads alike. Works with std::unique_lock and std::shared_lock. Not recursive.
///
/// Fair: a thread that arrives after an exclusive waiter waits behind it, so neither kind starves.
/// When the mutex becomes free, all shared waiters that arrived before the next exclusive waiter
/// continue together. The thread that unlocked it last may destroy it. Cost without contention: two
/// atomic operations each for locking and unlocking.
class SharedMutex {
 public:
  /// Locks the mutex exclusively. Suspends a lightweight caller, or blocks an OS thread, until it
  /// is free.
  void lock() noexcept { lock_until(nullptr); }
  /// Locks it if it is free. Does not suspend.
  bool try_lock() noexcept;
  /// Waits as lock() does, for `duration` at most. Returns whether the mutex is locked.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock_until(detail::deadline_after(duration));
  }
  /// Waits as lock() does, until `time` at most. Returns whether the mutex is locked.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return detail::wait_by_clock(
        time, [this](detail::Deadline deadline) { return lock_until(&deadline); });
  }
  /// Releases the exclusive lock. Only for its owner. Does not suspend.
  void unlock() noexcept;

  /// Locks the mutex shared. Suspends a lightweight caller, or blocks an OS thread, until it can.
  void lock_shared() noexcept { lock_shared_until(nullptr); }
  /// Locks it shared if no thread owns it exclusively or waits to do so. Does not suspend.
  bool try_lock_shared() noexcept;
  /// Waits as lock_shared() does, for `duration` at most. Returns whether the caller has locked it
  /// shared.
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock_shared_until(detail::deadline_after(duration));
  }
  /// Waits as lock_shared() does, until `time` at most. Returns whether the caller has locked it
  /// shared.
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time) {
    return detail::wait_by_clock(
        time, [this](detail::Deadline deadline) { return lock_shared_until(&deadline); });
  }
  /// Releases the caller's shared lock. Does not suspend.
  void unlock_shared() noexcept;

 private:
  bool lock_until(const detail::Deadline* deadline) noexcept;
  bool lock_shared_until(const detail::Deadline* deadline) noexcept;
  void admit_and_unlock_guard() noexcept;

  detail::SpinLock guard_;
  std::ptrdiff_t sharers_ = 0;
  bool exclusive_ = false;
  detail::WaitQueue waiters_;
};

}  // namespace kumiko::runtime
