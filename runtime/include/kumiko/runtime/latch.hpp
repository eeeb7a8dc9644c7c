// Lets threads wait until a count has fallen to zero, once, as std::latch does.
#pragma once

#include <cstddef>

#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

/// A count that falls to zero once and then releases all threads that wait for that, for
/// lightweight and OS threads alike. It may be destroyed as soon as one wait() has returned or
/// try_wait() has returned true, if no other thread will wait: a count_down() in progress does not
/// access it after that.
class Latch {
 public:
  /// \param expected the initial count. \throws std::invalid_argument if it is negative.
  explicit Latch(std::ptrdiff_t expected);

  /// Lowers the count by `n`, which must not exceed it. At zero, wakes all waiting threads. Does
  /// not suspend.
  void count_down(std::ptrdiff_t n = 1) noexcept;

  /// Whether the count is zero.
  bool try_wait() const noexcept;

  /// Waits until the count is zero. Suspends a lightweight caller, blocks an OS thread.
  void wait() noexcept;

  /// Lowers the count by `n`, then waits until it is zero.
  void arrive_and_wait(std::ptrdiff_t n = 1) noexcept;

 private:
  // Every access is under the guard, also the test whether the count is zero: so a thread that
  // finds it zero has locked the guard after the last count_down() unlocked it.
  mutable detail::SpinLock guard_;
  std::ptrdiff_t count_;
  detail::WaitQueue waiters_;
};

}  // namespace kumiko::runtime
