// What the interposed I/O calls share: whose call it is, how it waits, what it returns.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>

#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "parking_lot.hpp"
#include "port/port.hpp"

namespace kumiko::pthread {

using runtime::port::Deadline;
using runtime::port::Request;

/// Whether a call that may block `descriptor` is the runtime's: the caller is a lightweight thread,
/// and can_wait_for() the descriptor. May suspend: every so often such a call gives way.
bool is_ours(int descriptor);

/// Whether the descriptor is in blocking mode, and something that one can wait for, not a file.
/// Does not suspend.
bool can_wait_for(int descriptor) noexcept;

/// What pthread_cancel() does to a call that waits.
enum class Cancelled {
  kUnwinds,  ///< a cancellation point
  kReturns,  ///< it returns -EINTR: some bytes have been moved, which the program must learn of
};

/// Suspends the calling lightweight thread until what `wanted` says is done. Returns what the
/// system returned or -errno, -EAGAIN if `deadline` has come, -EINTR if a
/// signal handler has run in the thread that ends it: any where there is a deadline or `handled`
/// says so, otherwise one without SA_RESTART. Where the runtime's I/O cannot be had, for want of
/// descriptors, it looks every few milliseconds, and handlers do not end it.
std::int64_t run(const Request& wanted, Deadline deadline = Deadline::max(),
                 Cancelled cancelled = Cancelled::kUnwinds,
                 Handled handled = Handled::kEndsUnlessRestart);

/// How a wait for events has ended.
enum class Waited {
  kMayHave,  ///< some event
  kTimedOut,
  kSignalled,  ///< a signal handler has run
};

/// Suspends the calling lightweight thread.
Waited sleep_until(Deadline deadline, Cancelled cancelled = Cancelled::kUnwinds,
                   Handled handled = Handled::kGoesOn);

/// Exponential backoff: longer and longer sleeps, for what nothing announces.
class Patience {
 public:
  /// Sleeps a little longer than the last time, at most until `deadline`.
  void sleep(Deadline deadline, Cancelled cancelled = Cancelled::kUnwinds);
  void reset() noexcept { pause_ = kShortest; }

 private:
  static constexpr std::chrono::milliseconds kShortest{1};
  static constexpr std::chrono::milliseconds kLongest{10};

  std::chrono::milliseconds pause_ = kShortest;
};

/// An option of a socket that is a number from 0 on; -1, and errno, where there is none.
int socket_option(int descriptor, int option) noexcept;

/// When a socket's own time limit for this direction (SO_RCVTIMEO or SO_SNDTIMEO) will be reached.
Deadline deadline_of_socket(int descriptor, int option) noexcept;

/// Waits until `events` (of poll) hold for the descriptor, or the deadline has come.
Waited wait_for_events(int descriptor, short events, Deadline deadline);

/// Takes note of a descriptor that was made. It may have the number of one that was closed behind
/// our back, or is about to be closed by others: whoever waits for that returns with EBADF. Returns
/// `descriptor`.
int note_new(int descriptor) noexcept;

/// Calls note_new() for each number from `first` to `last`.
void note_range(int first, int last) noexcept;

/// accept4() of a listening socket in whatever mode, EAGAIN if it would wait. Meanwhile the socket
/// is in non-blocking mode.
int accept_at_once(int descriptor, sockaddr* address, socklen_t* size, int flags) noexcept;

/// Unlocks the descriptors' modes, in the child of a fork(), for a thread of the parent may have
/// locked them.
void forget_modes() noexcept;

/// Closes a descriptor through the runtime, which lets waiters go. For any thread. Returns 0 or
/// -errno.
std::int64_t close_descriptor(int descriptor) noexcept;

/// Whether a span of time is one, or none (nullptr).
bool is_valid(const timespec* span) noexcept;

/// The deadline after a time from now: poll's milliseconds (negative: never) or another call's span
/// (nullptr: never).
Deadline deadline_after_milliseconds(int timeout) noexcept;
Deadline deadline_after(const timespec* span) noexcept;
Deadline deadline_after(const timeval& span) noexcept;

}  // namespace kumiko::pthread
