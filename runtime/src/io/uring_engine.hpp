// Does I/O by io_uring, with one ring for each worker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <kumiko/runtime/detail/spinlock.hpp>

#include "io/descriptor_table.hpp"
#include "io/engine.hpp"
#include "io/uring_rings.hpp"

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
/// order Entry, ring.
///
/// Every end of what is in a ring goes through handle().
class UringEngine final : public Engine {
 public:
  /// \throws std::system_error if the system refuses.
  explicit UringEngine(Scheduler& scheduler) : rings_(scheduler) {}

  bool start(Operation& operation) noexcept override;
  void cancel(Operation& operation) noexcept override;
  bool close(Operation& operation) noexcept override;
  int poll(std::size_t instance, std::size_t budget) noexcept override;
  bool has_unsubmitted(std::size_t instance) const noexcept override {
    return rings_.has_unsubmitted(instance);
  }
  int pollable(std::size_t instance) const noexcept override { return rings_.pollable(instance); }

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

  bool start_in_entry(Entry& entry, Operation& operation, DescriptorKind kind) noexcept;
  static OperationQueue& queue_of(Entry& entry, const Operation& operation) noexcept;
  static void append(Entry& entry, Operation& operation) noexcept;
  static void remove(Entry& entry, Operation& operation) noexcept;
  void enter_next(Entry& entry, OperationQueue& queue, OperationQueue& refused) noexcept;
  void handle(Operation& operation, std::int64_t result) noexcept;
  void handle_in_entry(Operation& operation, std::int64_t result) noexcept;
  bool goes_on(Entry& entry, Operation& operation, std::int64_t& result) noexcept;

  DescriptorTable<Entry> table_;
  UringRings rings_;
};

}  // namespace kumiko::runtime::detail
