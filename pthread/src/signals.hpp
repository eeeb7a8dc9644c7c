// Sends signals to lightweight threads, runs their handlers, and keeps each thread's signal mask.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>

namespace kumiko::pthread {

struct ThreadRecord;

// Asynchronous signals for the process are handled by the program's OS threads, the main one as a
// rule: a handler on a worker could interrupt the scheduler. So workers block them, all but those
// that a thread brings upon itself. A lightweight thread's mask is what it says it is; the kernel
// learns of it only where it matters, when a process is made.
//
// What is sent to a lightweight thread (pthread_kill(), raise()) the kernel never sees. It is noted
// in the thread's record, and
//  - taken by sigwait() and its like, if the thread waits there for it or comes there;
//  - kept while the thread's mask has it;
//  - handled by the thread itself otherwise, if there is a handler: where it waits and can be
//    interrupted, or at its next call that gives way. There it calls the handler: one that the
//    kernel calls has the worker block what sa_mask says, and if it waits, whatever runs there
//    next. A thread that ends, in the destructors of its thread-local values, runs none any more;
//  - else it concerns the process, and whoever sends it raises it: the process ends or stops, or
//    nothing happens.
//
// Who sends sets the bit in `pending_signals`, then looks at what the thread blocks, awaits, and
// where it is parked; the thread writes those, then looks at the bit. All of this is seq_cst, so
// one of the two sees the other, and nothing is left lying.

/// The calling OS thread's mask is another one while this lives: pthread_sigmask(how, set).
class MaskChange {
 public:
  MaskChange(int how, const sigset_t& set) noexcept;
  ~MaskChange();
  MaskChange(const MaskChange&) = delete;
  MaskChange& operator=(const MaskChange&) = delete;

 private:
  sigset_t before_;
};

/// The set of one signal.
sigset_t set_of(int signal) noexcept;

/// Blocks what workers block, while it lives: for the creation of OS threads.
class AsWorker {
 public:
  AsWorker() noexcept;

 private:
  const MaskChange change_;
};

/// Gives the calling worker its mask again, when a handler that the kernel has called does not
/// return.
void reset_worker_mask() noexcept;

/// Gives the worker the mask of the lightweight thread that it runs, while it lives: for what a new
/// process inherits. The thread must not wait meanwhile. Nothing on an OS thread.
class WithOwnMask {
 public:
  WithOwnMask() noexcept;

 private:
  std::optional<MaskChange> change_;
};

/// A set as the kernel keeps it: the first 64 signals, which are all that Linux has.
std::uint64_t bits_of(const sigset_t& set) noexcept;
inline std::uint64_t bit_of(int signal) noexcept { return std::uint64_t{1} << (signal - 1); }

/// What a handler is told of a signal that this process has sent, in the way that `code` says.
siginfo_t info_of(int signal, int code) noexcept;

/// pthread_kill() for a lightweight thread, with a signal that there is. May be called by a signal
/// handler.
void send_signal(ThreadRecord& thread, int signal);

/// What take_signals() has found, the strongest of it.
enum class Taken {
  kNothing,  ///< that has a handler
  kRestart,  ///< a handler with SA_RESTART
  kEnds,     ///< a handler that ends waits
};

/// Runs the handlers of all signals that have been sent to the calling lightweight thread and are
/// not blocked. A handler may end the thread, so nothing may be held meanwhile but by destructors.
Taken take_signals();

}  // namespace kumiko::pthread
