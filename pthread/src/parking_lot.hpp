// Threads wait at an address until the word there changes: a futex in user space.
#pragma once

#include <cstdint>

#include "port/port.hpp"

/// libkumiko_pthread: POSIX threads as lightweight threads of one runtime.
namespace kumiko::pthread {

struct ThreadRecord;
using runtime::port::Deadline;

enum class ParkResult {
  kWoken,    ///< maybe for somebody who waited at the same address before
  kChanged,  ///< the condition did not hold
  kTimedOut,
  kCancelled,  ///< pthread_cancel() was called for this thread, which may have disabled it
  kSignalled,  ///< a signal handler has run, and the caller wanted to know
};

/// What a signal handler does to a wait in which it runs. On an OS thread the kernel decides: a
/// wait with a deadline that does not go on kEnds, one without a deadline kEndsUnlessRestart.
enum class Handled {
  kGoesOn,
  kEndsUnlessRestart,  ///< as SA_RESTART says
  kEnds,
};

/// What interrupts the wait of a lightweight thread. A signal handler may end the thread, so a
/// caller that lets handlers run holds nothing but by destructors.
enum class Interrupts {
  kNone,
  kSignals,  ///< handlers run meanwhile
  kSignalsAndCancellation,
};

struct ParkOptions {
  const char* reason;                  ///< for reports: "a mutex"
  const Deadline* deadline = nullptr;  ///< nullptr for none
  Interrupts interrupts = Interrupts::kSignals;
  Handled handled = Handled::kGoesOn;
};

/// A lightweight or OS thread that finds the condition true waits at the address until unpark() is
/// called for it; waiters are woken in the order of arrival. So an object of POSIX threads is only
/// a word, valid when zeroed, with no pointer to its waiters: a program may copy, forget or unmap
/// it. Each waiter that is woken looks at its word again, since the address may belong to another
/// object by then.
///
/// A wake-up is not lost: the waiter checks its condition and joins the queue under the lock of the
/// address's bucket. Whoever changes the word does so before he takes that lock in unpark(); so
/// either the waiter sees the change, or unpark() sees the waiter. An unpark(), the deadline and a
/// signal handler claim the wait, and one of them gets it. Where the kernel ends the wait of an OS
/// thread and an unpark() claims it after that, the waiter still returns kSignalled, without a look
/// at its word, and wakes the next one at the address instead.
ParkResult park_if(const void* address, bool (*condition)(const void* context), const void* context,
                   const ParkOptions& options);

/// Waits if `condition()` holds.
template <class Condition>
ParkResult park(const void* address, const Condition& condition, const ParkOptions& options) {
  return park_if(
      address, [](const void* context) { return (*static_cast<const Condition*>(context))(); },
      &condition, options);
}

inline constexpr std::uint32_t kAll = UINT32_MAX;

/// Wakes up to `most` of those who wait at `address`, of which nothing is read. Returns how many.
std::uint32_t unpark(const void* address, std::uint32_t most) noexcept;

/// Lets `thread` look around if it is in a wait that can be interrupted; called after a
/// cancellation or a signal is pending for it.
void interrupt_wait(ThreadRecord& thread) noexcept;

/// While it lives on an OS thread, unpark() and interrupt_wait() in a signal handler there are put
/// off until it ends: so a handler may interrupt code that holds the locks which they need.
/// sem_post() and pthread_kill() are async-signal-safe by this; workers run no handlers but those
/// that their threads take, see signals.hpp. Nothing on a lightweight thread.
class SignalGuard {
 public:
  SignalGuard() noexcept;
  ~SignalGuard() {
    if (active_) end();
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  static void end() noexcept;

  const bool active_;
};

/// Forgets all waiters, in the child of a fork(), where no other thread is.
void forget_waiters() noexcept;

}  // namespace kumiko::pthread
