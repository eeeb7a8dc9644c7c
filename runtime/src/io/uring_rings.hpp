// The rings of io_uring, one for each worker: what is put into them, and taken out again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <liburing.h>

#include <kumiko/runtime/detail/spinlock.hpp>

#include "io/engine.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

class Scheduler;

/// One ring per worker, each under a lock. Functions may be called by any OS thread; none suspends.
///
/// A ring knows an operation by its address and a number, so that a cancellation that comes late
/// cannot hit another operation at the same address. What is in a ring is alive until the ring has
/// said that it is done.
///
/// Alone they are an engine for files, which never have to wait for readiness.
class UringRings final : public FileEngine {
 public:
  /// \throws std::system_error if the system refuses.
  explicit UringRings(Scheduler& scheduler);

  /// What a ring has said.
  struct Event {
    std::uint64_t tag;
    std::int64_t result;
  };
  using Events = std::array<Event, tunables::kEventsPerPoll>;

  /// The operation of an event; nullptr for those that nobody waits for.
  static Operation* operation_of(std::uint64_t tag) noexcept {
    return reinterpret_cast<Operation*>(tag & kAddressMask);
  }

  /// Puts an operation into the ring of the calling worker (the first one for other OS threads),
  /// which is handed to the system by the next take(), or if there are many. Returns false if the
  /// ring is full and stays so.
  bool enter(Operation& operation) noexcept;

  /// Asks the system to give up what has entered. Tries again until there is room, for without it
  /// somebody would wait for ever.
  void give_up(const Operation& operation) noexcept;

  bool start(Operation& operation, DescriptorKind kind) noexcept override;

  /// What has begun goes its way.
  void cancel(Operation&) noexcept override {}

  /// Completes what start() began.
  void end_file(Operation& operation, std::int64_t result) noexcept;

  /// Hands over what has entered, and takes at most `budget` events. Returns how many; 0 also if
  /// another OS thread does so now.
  std::size_t take(std::size_t instance, std::size_t budget, Events& events) noexcept;

  int poll(std::size_t instance, std::size_t budget) noexcept override;
  bool has_unsubmitted(std::size_t instance) const noexcept override {
    // relaxed: what the caller has left there itself it sees.
    return rings_[instance]->unsubmitted.load(std::memory_order_relaxed) != 0;
  }
  int pollable(std::size_t instance) const noexcept override {
    return rings_[instance]->ring.ring_fd;
  }

 private:
  /// Addresses of user space have 47 bits; the number is above them.
  static constexpr unsigned kSequenceShift = 48;
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kSequenceShift) - 1;

  struct alignas(64) Ring {
    Ring();
    ~Ring() { io_uring_queue_exit(&ring); }

    SpinLock guard;
    io_uring ring{};
    std::uint64_t sequence = 0;
    std::atomic<unsigned> unsubmitted{0};  ///< written under the guard
  };

  static void prepare(io_uring_sqe& slot, Operation& operation) noexcept;
  static void prepare_receive(io_uring_sqe& slot, Operation& operation) noexcept;
  static io_uring_sqe* next_slot(Ring& ring) noexcept;
  static void submit(Ring& ring) noexcept;

  Scheduler& scheduler_;
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace kumiko::runtime::detail
