// Limits how many threads do something at the same time, like std::counting_semaphore, in fair
// order.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

/// A number of permits, for lightweight and OS threads alike.
///
/// Fair: waiting threads get permits in the order of their arrival, before any other thread. It may
/// be destroyed as soon as the last acquire() has returned, because a release() in progress does
/// not access it after that. Cost: a few atomic operations, whether or not threads wait.
class CountingSemaphore {
 public:
  /// \param permits the initial number. \throws std::invalid_argument if it is negative.
  explicit CountingSemaphore(std::ptrdiff_t permits);

  /// The largest number of permits.
  static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max();
  }

  /// Adds `n` permits and wakes as many waiters. Does not suspend.
  void release(std::ptrdiff_t n = 1) noexcept;

  /// Takes a permit. Suspends a lightweight caller, blocks an OS thread, until there is one.
  void acquire() noexcept { acquire_until(nullptr); }

  /// Takes a permit if there is one. Does not suspend.
  bool try_acquire() noexcept;

  /// Takes a permit as acquire() does, but waits for `duration` at most. Returns whether it took a
  /// permit.
  template <class Rep, class Period>
  bool try_acquire_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_acquire_until(detail::deadline_after(duration));
  }

  /// Takes a permit as acquire() does, but waits until `time` at most. Returns whether it took a
  /// permit.
  template <class Clock, class Duration>
  bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& time) {
    return detail::wait_by_clock(
        time, [this](detail::Deadline deadline) { return acquire_until(&deadline); });
  }

 private:
  bool acquire_until(const detail::Deadline* deadline) noexcept;

  detail::SpinLock guard_;
  std::ptrdiff_t permits_;  ///< guarded; 0 while a thread waits
  detail::WaitQueue waiters_;
};

/// A semaphore with a single permit.
using BinarySemaphore = CountingSemaphore;

}  // namespace kumiko::runtime
