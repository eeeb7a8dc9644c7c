#pragma once

#include <mutex>

#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::runtime {

/// Lets threads, lightweight ones and OS threads alike, wait for a change of what a Mutex guards.
///
/// Waiters are woken in the order of their arrival, and never spuriously; but another thread may
/// have changed the state before the woken one owns the mutex again, so use a predicate. May be
/// destroyed as soon as every waiter has been notified.
class ConditionVariable {
 public:
  ConditionVariable() = default;
  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

  /// Unlocks `lock`, which the caller owns, waits for a notification, and locks it again. Suspends
  /// a lightweight caller, blocks an OS thread.
  void wait(std::unique_lock<Mutex>& lock) noexcept;

  /// Waits until `ready()` is true; it is evaluated with `lock` locked.
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate ready) {
    while (!ready()) wait(lock);
  }

  /// Wakes the thread that has waited longest, if any. Does not suspend.
  void notify_one() noexcept;

  /// Wakes every thread that waits now. Does not suspend.
  void notify_all() noexcept;

 private:
  detail::SpinLock guard_;
  detail::WaitQueue waiters_;
};

}  // namespace kumiko::runtime
