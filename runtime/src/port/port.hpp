// The one private header that libkumiko_pthread builds on: all that it uses of the runtime beside
// the public headers.
//
// It knows of no worker and no scheduler, so that these may change behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>
#include <kumiko/runtime/options.hpp>
#include <kumiko/runtime/source_location.hpp>

#include "core/own_counter.hpp"
#include "io/request.hpp"
#include "machine/cpu_pause.hpp"
#include "stack/depot.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {
class Operation;
class Scheduler;
}  // namespace kumiko::runtime::detail

namespace kumiko::runtime::port {

// Small parts that know nothing of workers.
using detail::Batch;
using detail::Cache;
using detail::cpu_pause;
using detail::Deadline;
using detail::deadline_after;
using detail::Depot;
using detail::LinkedQueue;
using detail::OwnCounter;
using detail::Request;
using detail::SpinLock;
using detail::Waiter;
inline constexpr std::size_t kGuardSize = detail::tunables::kGuardSize;

// --- The caller ---

/// Whether the caller is a lightweight thread. Cost: three loads.
inline bool is_lightweight() noexcept { return detail::running_thread() != nullptr; }

/// The stack of the calling lightweight thread.
std::span<std::byte> own_stack() noexcept;

/// The calling lightweight thread goes on with its OS thread's thread-local storage, so that its
/// own may be another thread's before it has ended.
void leave_thread_pointer() noexcept;

/// In the child of a fork(), where there are no workers: the caller is a plain OS thread from here
/// on, if it was a lightweight one.
void forget_worker() noexcept;

// --- Threads ---

/// A thread to be started, which nobody joins: it runs call(place), where `place` is that of a copy
/// of `argument`, a void*. Nothing may escape it.
struct NewThread {
  void (*call)(void* place);
  void* argument;
  void* thread_pointer;  ///< of its thread-local storage
};

/// Starts a thread from a lightweight one. The new one runs at once; the caller goes on, maybe on
/// another worker, when that waits or ends.
/// \throws std::system_error if no stack can be mapped or there is no memory.
void start(const NewThread& thread, SourceLocation where = SourceLocation::current());

/// The workers that run a process's lightweight threads.
class Workers {
 public:
  /// Starts options.workers of them. The options are valid.
  /// \throws std::system_error if the system refuses an OS thread; none is left running then.
  explicit Workers(const Options& options);

  /// Waits for all threads that were started from lightweight ones. Not to be called where a thread
  /// has been started from outside: its end is counted, its beginning is not.
  ~Workers();

  std::size_t count() const noexcept;

  /// Starts a thread from an OS thread that is not a worker. Its beginning is not
  /// counted, so that no report of a deadlock asks for it, and the workers stay for ever. Does not
  /// suspend.
  /// \throws std::system_error if no stack can be mapped or there is no memory.
  void start_from_outside(const NewThread& thread,
                          SourceLocation where = SourceLocation::current());

  /// Whether a thread has waited for I/O, in this process rather than in the parent of a vfork().
  bool has_io() const noexcept;

  /// Where has_io(): whoever waits for the descriptor of this number returns with -EBADF, for it is
  /// another one now, or about to be closed. For any thread; may suspend.
  void end_waits_for(int descriptor) noexcept;

 private:
  const std::unique_ptr<detail::Scheduler> scheduler_;
};

// --- I/O ---

/// A thread's wait for a request, as far as others may end it.
class InterruptibleWait {
 public:
  /// Makes run() return if it waits and wanted() is true, which is asked under a lock that keeps
  /// the wait from ending. For any thread.
  template <class Wanted>
  void interrupt_if(Wanted wanted) noexcept {
    guard_.lock();
    if (operation_ != nullptr && wanted()) interrupt();
    guard_.unlock();
  }

 private:
  friend std::int64_t run(const Request&, Deadline, InterruptibleWait&,
                          bool (*is_interrupted)(const void*), const void*) noexcept;

  void interrupt() noexcept;
  void set(detail::Operation* operation) noexcept;

  SpinLock guard_;
  detail::Operation* operation_ = nullptr;  ///< guarded
};

/// Suspends the calling lightweight thread until the request is fulfilled. Returns what the system
/// returned or -errno, -ETIMEDOUT if the deadline has come, -EINTR if it was interrupted.
///
/// `is_interrupted(context)` is asked once the wait can be interrupted: whoever interrupts makes it
/// true before interrupt_if(), so that one of the two sees the other.
std::int64_t run(const Request& request, Deadline deadline, InterruptibleWait& wait,
                 bool (*is_interrupted)(const void* context), const void* context) noexcept;

/// Tries to fulfil the request without waiting. Returns what the system returned or -errno, -EAGAIN
/// if it would wait. Does not suspend.
std::int64_t try_now(const Request& request) noexcept;

/// Closes a descriptor; whoever waits for it returns with -EBADF. For any thread; may suspend.
/// Returns 0 or -errno.
std::int64_t close(int descriptor) noexcept;

}  // namespace kumiko::runtime::port
