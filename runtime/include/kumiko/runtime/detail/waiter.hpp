#pragma once

#include <kumiko/runtime/detail/parker.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::runtime::detail {

struct Descriptor;

/// One wait of whoever runs: of a lightweight thread, which is suspended while its worker goes on,
/// or of a plain OS thread, which blocks. Lives on the waiting side's stack, for one wait.
class Waiter {
 public:
  /// Announces the waiter to those who will wake it. Must not throw or block.
  using Publish = void (*)(void* argument);

  Waiter() noexcept;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  /// Waits for wake(). `publish(argument)` runs first, when the thread is already off its stack,
  /// so that a waker may resume it elsewhere at once; it may call wake() itself.
  void wait(Publish publish, void* argument) noexcept;

  /// Ends the wait; to be called exactly once per wait, from any thread. The waiter may be gone
  /// when this returns. A lightweight thread becomes the caller's worker's next choice.
  void wake() noexcept;

  /// The lightweight thread that waits, nullptr for an OS thread. Whoever may call wake() may
  /// continue the thread itself instead.
  Descriptor* thread() const noexcept { return thread_; }

 private:
  friend class WaitQueue;

  Descriptor* const thread_;
  Waiter* next_ = nullptr;
  Parker parker_;
};

/// Waiters in the order of their arrival. Guarded by a SpinLock of the owner, named `guard` here.
class WaitQueue {
 public:
  WaitQueue() = default;
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }

  /// Appends the caller and waits until someone pops and wakes it. Called with `guard` locked;
  /// unlocks it once the caller may be woken, and does not lock it again.
  void wait(SpinLock& guard) noexcept;

  /// Removes the oldest waiter, or returns nullptr. Called with the guard locked; wake it without.
  Waiter* pop() noexcept;

  /// Wakes every waiter and unlocks `guard`, which is the last access to the queue.
  void wake_all_and_unlock(SpinLock& guard) noexcept;

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

}  // namespace kumiko::runtime::detail
