// Lets threads wait until another thread has changed the state that a Mutex guards, like
// std::condition_variable.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::runtime {

using std::cv_status;

/// Lets lightweight and OS threads wait for a change of the state that a Mutex guards.
///
/// Waiters are woken in the order of their arrival, and never spuriously unless a clock is set
/// back. But another thread may change the state before the woken thread owns the mutex again, so
/// use a predicate. It may be destroyed as soon as every waiter has been notified, but timed waits
/// must have returned.
class ConditionVariable {
 public:
  /// Unlocks `lock`, which the caller owns, waits for a notification, and locks it again. Suspends
  /// a lightweight caller, blocks an OS thread.
  void wait(std::unique_lock<Mutex>& lock) noexcept { wait_notified(lock, nullptr); }

  /// Waits until `ready()` is true; it is evaluated with `lock` locked.
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate ready) {
    while (!ready()) wait(lock);
  }

  /// Waits for a notification as wait() does, but until `time` at most. Returns true if the time
  /// was reached before a notification.
  template <class Clock, class Duration>
  cv_status wait_until(std::unique_lock<Mutex>& lock,
                       const std::chrono::time_point<Clock, Duration>& time) {
    const auto left = detail::time_left(time);
    const detail::Deadline deadline = detail::deadline_after(left);
    if (wait_notified(lock, &deadline)) return cv_status::no_timeout;
    // If the clock was set back we must not wait on without a look at the state: a notification may
    // have come since.
    return detail::time_left(time) > left.zero() ? cv_status::no_timeout : cv_status::timeout;
  }

  /// Waits until `ready()` is true, but until `time` at most. Returns the last value of `ready()`.
  template <class Clock, class Duration, class Predicate>
  bool wait_until(std::unique_lock<Mutex>& lock,
                  const std::chrono::time_point<Clock, Duration>& time, Predicate ready) {
    while (!ready()) {
      if (wait_until(lock, time) == cv_status::timeout) return ready();
    }
    return true;
  }

  /// Waits for a notification as wait() does, but for `duration` at most. Returns true if the time
  /// ran out before a notification.
  template <class Rep, class Period>
  cv_status wait_for(std::unique_lock<Mutex>& lock,
                     const std::chrono::duration<Rep, Period>& duration) {
    return wait_until(lock, detail::deadline_after(duration));
  }
  /// Waits until `ready()` is true, but for `duration` at most. Returns the last value of
  /// `ready()`.
  template <class Rep, class Period, class Predicate>
  bool wait_for(std::unique_lock<Mutex>& lock, const std::chrono::duration<Rep, Period>& duration,
                Predicate ready) {
    return wait_until(lock, detail::deadline_after(duration), std::move(ready));
  }

  /// Waits until `ready()` is true or a stop is requested. Returns the last value of `ready()`.
  template <class Predicate>
  bool wait(std::unique_lock<Mutex>& lock, const std::stop_token& stop, Predicate ready) {
    const std::stop_callback wake_all(stop, [this] { notify_all(); });
    while (!ready()) {
      if (!wait_unless_stopped(lock, stop, nullptr)) return ready();
    }
    return true;
  }

  /// Waits until `ready()` is true or a stop is requested, but until `time` at most. Returns the
  /// last value of `ready()`.
  template <class Clock, class Duration, class Predicate>
  bool wait_until(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                  const std::chrono::time_point<Clock, Duration>& time, Predicate ready) {
    const std::stop_callback wake_all(stop, [this] { notify_all(); });
    while (!ready()) {
      const auto left = detail::time_left(time);
      const detail::Deadline deadline = detail::deadline_after(left);
      if (!wait_unless_stopped(lock, stop, &deadline) || detail::time_left(time) <= left.zero()) {
        return ready();
      }
    }
    return true;
  }

  /// Waits until `ready()` is true or a stop is requested, but for `duration` at most. Returns the
  /// last value of `ready()`.
  template <class Rep, class Period, class Predicate>
  bool wait_for(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                const std::chrono::duration<Rep, Period>& duration, Predicate ready) {
    return wait_until(lock, stop, detail::deadline_after(duration), std::move(ready));
  }

  /// Wakes the thread that has waited longest, if any. Does not suspend.
  void notify_one() noexcept;

  /// Wakes every thread that waits now. Does not suspend.
  void notify_all() noexcept;

 private:
  bool wait_notified(std::unique_lock<Mutex>& lock, const detail::Deadline* deadline) noexcept;
  bool wait_unless_stopped(std::unique_lock<Mutex>& lock, const std::stop_token& stop,
                           const detail::Deadline* deadline) noexcept;

  detail::SpinLock guard_;
  detail::WaitQueue waiters_;
};

}  // namespace kumiko::runtime
