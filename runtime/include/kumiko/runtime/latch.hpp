// Lets threads wait until a count has fallen to zero, once, as std::latch does.
#pragma once

#include <cstddef>

#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

/// A count that falls to zero once and lets everyone pass who waits for that; for lightweight and
/// OS threads alike. May be destroyed as soon as one wait() has returned or try_wait() was true, if
/// nobody else is still to wait: a count_down() in progress no longer touches it.
class Latch {
 public:
  /// \param expected the initial count. \throws std::invalid_argument if it is negative.
  explicit Latch(std::ptrdiff_t expected);

  /// Lowers the count by `n`, which must not exceed it; wakes everyone at zero. Does not suspend.
  void count_down(std::ptrdiff_t n = 1) noexcept;

  /// Whether the count is zero.
  bool try_wait() const noexcept;

  /// Waits until the count is zero. Suspends a lightweight caller, blocks an OS thread.
  void wait() noexcept;

  /// Lowers the count by `n`, then waits until it is zero.
  void arrive_and_wait(std::ptrdiff_t n = 1) noexcept;

 private:
  // Every access is under the guard, also the test whether the count is zero: so whoever learns
  // that it is has locked the guard after the last count_down() unlocked it.
  mutable detail::SpinLock guard_;
  std::ptrdiff_t count_;
  detail::WaitQueue waiters_;
};

}  // namespace kumiko::runtime
