// Suspends the calling thread until it is woken, and queues those that wait for the same thing.
#pragma once

#include <atomic>
#include <cstddef>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/linked_queue.hpp>
#include <kumiko/runtime/detail/parker.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::runtime::detail {

struct Descriptor;
class TimerHeap;

/// What a thread waits for, as reports print it: a kind and the address of the object.
struct WaitReason {
  const char* kind;
  const void* object;
};

/// One wait of whoever runs: of a lightweight thread, which is suspended while its worker goes on,
/// or of a plain OS thread, which blocks. Lives on the waiting side's stack, for one wait.
///
/// A wait may also end by itself, at its deadline or by a signal handler of an OS thread. That and
/// the wakers claim it, and the first one ends it.
class Waiter {
 public:
  /// Announces the waiter to those who will wake it. Must not throw or block.
  using Publish = void (*)(void* argument);

  explicit Waiter(WaitReason reason) noexcept;

  /// Waits for wake(). `publish(argument)` runs first, when the thread is already off its stack,
  /// so that a waker may resume it elsewhere at once; it may call wake() itself.
  void wait(Publish publish, void* argument) noexcept;

  /// Waits as wait() does, but until `deadline` at the latest; wakers must claim() first. Returns
  /// whether it was woken. If not, the waiter may still be known to wakers, whose claims fail: the
  /// caller makes them forget it before it returns.
  bool wait_until(Deadline deadline, Publish publish, void* argument) noexcept;

  enum class End { kWoken, kTimedOut, kInterrupted };

  /// Waits as wait_until() does, or without a deadline (nullptr), but on an OS thread also ends
  /// when the kernel says EINTR: with a deadline after any signal handler that has run in the wait,
  /// without one after a handler without SA_RESTART. Also returns kInterrupted if a waker has
  /// claimed the waiter after that; the caller then passes the wake-up on.
  End wait_undisturbed(const Deadline* deadline, Publish publish, void* argument) noexcept;

  /// Wakers: the right to call wake(), if nobody had it before. Always granted in a wait that
  /// cannot end by itself.
  bool claim() noexcept {
    // acq_rel: the loser of the two sides sees what the winner did before.
    return !ends_itself_ || !claimed_.exchange(true, std::memory_order_acq_rel);
  }

  /// Ends the wait; to be called exactly once per wait, from any thread. The waiter may be gone
  /// when this returns. A lightweight thread becomes the caller's worker's next choice.
  void wake() noexcept;

  /// The lightweight thread that waits, nullptr for an OS thread. Whoever may call wake() may
  /// continue the thread itself instead.
  Descriptor* thread() const noexcept { return thread_; }

  const WaitReason& reason() const noexcept { return reason_; }

 private:
  friend class WaitQueue;
  friend class TimerHeap;

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  /// Deadline and publication, once the thread is off its stack.
  struct TimedPublication;

  Descriptor* const thread_;
  const WaitReason reason_;
  Waiter* next_ = nullptr;      ///< in a WaitQueue, then in a WakeList
  Waiter* previous_ = nullptr;  ///< likewise
  bool queued_ = false;         ///< in a WaitQueue
  bool ends_itself_ = false;    ///< at a deadline, or by a signal handler
  bool timed_out_ = false;
  std::atomic<bool> claimed_{false};
  Deadline deadline_;                     ///< in a TimerHeap
  TimerHeap* timers_ = nullptr;           ///< of the worker on which the wait began
  std::size_t place_in_heap_ = kNowhere;  ///< guarded by the heap's lock
  Parker parker_;
};

/// Waiters in the order of their arrival. Guarded by a SpinLock of the owner, named `guard` here.
class WaitQueue {
 public:
  /// Waiters that have been claimed under the guard, to be woken without it.
  using WakeList = LinkedQueue<Waiter, &Waiter::next_, &Waiter::previous_>;

  WaitQueue() = default;
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;

  bool empty() const noexcept { return waiters_.empty(); }

  /// The oldest waiter, nullptr if there is none. Its time may have run out.
  Waiter* front() const noexcept { return waiters_.front(); }

  /// Removes the oldest waiter and claims it. Returns whether its time has not run out.
  bool claim_front() noexcept;

  /// Appends the caller and waits until someone pops and wakes it, or `deadline` comes, if there is
  /// one. Returns whether it was woken. Called with `guard` locked; unlocks it once the caller may
  /// be woken, and does not lock it again, but for leaving the queue when its time has run out. If
  /// `deadline` has passed already it yields instead.
  bool wait(SpinLock& guard, WaitReason reason, const Deadline* deadline = nullptr) noexcept;

  /// Removes and claims the oldest waiter whose time has not run out, or returns nullptr. Called
  /// with the guard locked; wake it without.
  Waiter* pop() noexcept;

  /// Wakes every waiter and unlocks `guard`, which is the last access to the queue.
  void wake_all_and_unlock(SpinLock& guard) noexcept;

  /// Wakes all of the list, which is empty then.
  static void wake_all(WakeList& claimed) noexcept;

 private:
  void remove(Waiter& waiter) noexcept;

  WakeList waiters_;
};

}  // namespace kumiko::runtime::detail
