// One call of the system that a lightweight thread waits for, from its begin to its result.
#pragma once

#include <atomic>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/linked_queue.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

#include "io/descriptor_kind.hpp"
#include "io/request.hpp"

namespace kumiko::runtime::detail {

/// One call of the system, and the wait of the lightweight thread that wants it done. Lives on that
/// thread's stack from Engine::start() until complete().
///
/// Only complete() ends an operation: a thread whose limit is reached asks its engine to cancel
/// and goes on waiting for that, since the system may be about to write into its memory.
class Operation : public Request {
 public:
  explicit Operation(const Request& wanted) noexcept : Request(wanted) {}

  /// Tries to do it without blocking. Returns what the system call returned, or -errno; -EAGAIN if
  /// it would block. Does not suspend.
  std::int64_t attempt(DescriptorKind target) noexcept;

  /// Does it, and may block the calling OS thread. Returns what attempt() returns.
  std::int64_t execute() noexcept;

  /// Which kinds of readiness it waits for; kEither: both, or others.
  enum class Direction : std::uint8_t { kIn, kOut, kEither };
  Direction direction() const noexcept;

  /// What poll(2) must report before it is worth an attempt.
  short wanted_events() const noexcept;

  /// Whether it is about a file system rather than about something that becomes ready.
  bool concerns_file(DescriptorKind target) const noexcept;

  // The thread's side.

  /// Waits until it is complete. Returns false if `deadline` has come (nullptr: never), or if it
  /// was interrupted, before. May suspend.
  bool wait(const Deadline* deadline) noexcept;

  /// Waits until it is complete, whatever else happens. May suspend.
  void wait_to_the_end() noexcept;

  std::int64_t result() const noexcept { return result_; }

  /// Whether it was interrupted: once it is over, and nobody can interrupt it any more.
  bool is_interrupted() const noexcept { return interrupted_; }

  /// Sets a result that is known without wait().
  void set_result(std::int64_t result) noexcept { result_ = result; }

  /// What the operation waits for, in words for reports.
  WaitReason wait_reason() const noexcept;

  // Others' sides.

  /// Ends it; called once, by the engine, on any OS thread. The operation may be gone when this
  /// returns. A lightweight thread goes to where its scheduler keeps those whose I/O is done.
  void complete(std::int64_t result) noexcept;

  /// Makes wait() return. May be called by any OS thread while the operation lives.
  void interrupt() noexcept;

  // The engines' part.

  enum class Place : std::uint8_t { kNowhere, kEntry, kRing, kPool };
  std::atomic<Place> place{Place::kNowhere};
  std::atomic<bool> cancel_requested{false};
  bool closed = false;           ///< its descriptor was closed under it
  bool is_urgent = false;        ///< its time has passed: it is tried now or never
  bool polls_first = false;      ///< the ring waits for readiness only
  bool blocks = false;           ///< the ring must give it to a thread of the kernel's
  bool expects_to_wait = false;  ///< the ring may leave its first attempt out
  std::uint32_t generation = 0;  ///< of its descriptor's entry
  std::size_t instance = 0;      ///< whose ring it is in
  std::uint64_t tag = 0;         ///< under which that ring knows it
  Operation* next = nullptr;
  Operation* previous = nullptr;

  /// A message of the vectors, which lives as long as this.
  msghdr& message_of_vectors() noexcept;

 private:
  std::int64_t attempt_read(DescriptorKind target) noexcept;
  std::int64_t attempt_write(DescriptorKind target) noexcept;
  std::int64_t attempt_poll() const noexcept;
  void unlock_and_resume() noexcept;

  SpinLock guard_;
  WaitQueue waiters_;
  bool done_ = false;
  bool interrupted_ = false;
  std::int64_t result_ = 0;
  msghdr own_message_{};
};

/// Continues a thread whose operation is over: before fresh ones where it is one of the calling
/// worker's.
void resume_after_io(Waiter& waiter) noexcept;

using OperationQueue = LinkedQueue<Operation, &Operation::next, &Operation::previous>;

}  // namespace kumiko::runtime::detail
