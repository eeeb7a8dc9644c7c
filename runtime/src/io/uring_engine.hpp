// Does I/O by io_uring, with one ring for each worker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <liburing.h>

#include <kumiko/runtime/detail/spinlock.hpp>

#include "io/descriptor_table.hpp"
#include "io/engine.hpp"

namespace kumiko::runtime::detail {

/// Operations by io_uring, one ring per worker.
///
/// start() only fills the worker's submission queue; the worker hands it over when no thread whose
/// I/O is done is left to run, or when it polls, so that a burst of threads costs one system call.
/// Sends are tried directly first, since they hardly ever wait. For what is not a socket's data the
/// ring waits for readiness (POLL_ADD) and the poller does the operation: a write to a pipe must
/// not raise a signal, and a non-blocking listener makes the ring's own accept fail.
///
/// Of the operations that wait for one direction of a descriptor only the oldest is in a ring: the
/// others wait behind it in the descriptor's Entry, which keeps their order. Locks are taken in the
/// order Entry, Ring.
///
/// A ring knows an operation by its address and a number, so that a cancellation that comes late
/// cannot hit another operation at the same address. What is in a ring is alive until the ring has
/// said that it is done: every end of it goes through handle().
class UringEngine final : public Engine {
 public:
  /// \throws std::system_error if the system refuses.
  explicit UringEngine(Scheduler& scheduler);

  bool start(Operation& operation) noexcept override;
  void cancel(Operation& operation) noexcept override;
  bool close(Operation& operation) noexcept override;
  int poll(std::size_t instance, std::size_t budget) noexcept override;
  bool has_unsubmitted(std::size_t instance) const noexcept override;
  int pollable(std::size_t instance) const noexcept override;

 private:
  /// The queues, and closed and cancel_requested of what is in them, are guarded by `guard`.
  struct alignas(64) Entry : DescriptorState {
    SpinLock guard;
    OperationQueue in;                      ///< the oldest is in a ring
    OperationQueue out;                     ///< the oldest is in a ring
    OperationQueue either;                  ///< all are in rings
    bool drained = false;                   ///< the latest read came short
    std::atomic<std::uint32_t> writers{0};  ///< a hint: operations in `out`
  };

  struct alignas(64) Ring {
    Ring();
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() { io_uring_queue_exit(&ring); }

    SpinLock guard;
    io_uring ring{};
    std::uint64_t sequence = 0;
    std::atomic<unsigned> unsubmitted{0};  ///< written under the guard
  };

  bool start_in_entry(Entry& entry, Operation& operation, DescriptorKind kind) noexcept;
  static OperationQueue& queue_of(Entry& entry, const Operation& operation) noexcept;
  static void append(Entry& entry, Operation& operation) noexcept;
  static void remove(Entry& entry, Operation& operation) noexcept;
  bool enter(Operation& operation) noexcept;
  void enter_next(Entry& entry, OperationQueue& queue, OperationQueue& refused) noexcept;
  static void prepare(io_uring_sqe& slot, Operation& operation) noexcept;
  static void prepare_receive(io_uring_sqe& slot, Operation& operation) noexcept;
  static io_uring_sqe* next_slot(Ring& ring) noexcept;
  static void submit(Ring& ring) noexcept;
  void submit_cancel(const Operation& operation) noexcept;
  void handle(std::uint64_t tag, std::int64_t result) noexcept;
  void handle_in_entry(Operation& operation, std::int64_t result) noexcept;
  bool goes_on(Entry& entry, Operation& operation, std::int64_t& result) noexcept;

  DescriptorTable<Entry> table_;
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace kumiko::runtime::detail
