// Lets a number of threads wait for each other again and again, as std::barrier does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

/// A barrier for lightweight and OS threads alike, which can be used repeatedly: each phase ends
/// when the expected number of threads has arrived. More threads than that may use it; a thread
/// that arrives while a phase is being completed belongs to the next phase.
///
/// Invariant, whenever the guard is free: arrivals are missing (unless all threads have dropped
/// out), or the completion of the phase runs and no arrival is counted meanwhile.
///
/// May be destroyed as soon as all threads have returned from their last wait.
class Barrier {
 public:
  /// Names a phase, so that its arrivals can wait for its end.
  class ArrivalToken {
   public:
    /// \{
    /// The new token names the phase that the other one named.
    ArrivalToken(ArrivalToken&&) = default;
    ArrivalToken& operator=(ArrivalToken&&) = default;
    /// \}

   private:
    friend class Barrier;
    explicit ArrivalToken(std::uint64_t phase) noexcept : phase_(phase) {}
    std::uint64_t phase_;
  };

  /// \param expected arrivals per phase, positive.
  /// \param on_completion called by the last thread that arrives, before any thread continues. Must
  /// not throw; may suspend.
  /// \throws std::invalid_argument if `expected` is not positive.
  explicit Barrier(std::ptrdiff_t expected, std::function<void()> on_completion = {});

  /// Arrives `n` times, at most as often as the phase still expects, without waiting for its end.
  /// Suspends only if the completion does, or while the completion of the previous phase runs.
  ArrivalToken arrive(std::ptrdiff_t n = 1);

  /// Waits until the phase of `arrival` has ended. Suspends a lightweight caller, blocks an OS
  /// thread.
  void wait(ArrivalToken&& arrival) noexcept;

  /// Arrives and waits until the phase has ended: wait(arrive()).
  void arrive_and_wait() { wait(arrive()); }

  /// Arrives, and lowers the number of arrivals that later phases expect by one.
  void arrive_and_drop();

 private:
  ArrivalToken arrive_and_expect_less(std::ptrdiff_t n, std::ptrdiff_t dropped);

  detail::SpinLock guard_;
  std::ptrdiff_t expected_;
  std::ptrdiff_t missing_;
  std::uint64_t phase_ = 0;
  bool completes_ = false;  ///< the completion runs
  detail::WaitQueue waiters_;
  const std::function<void()> on_completion_;
};

}  // namespace kumiko::runtime
