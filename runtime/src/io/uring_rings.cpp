#include "io/uring_rings.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <system_error>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "core/scheduler.hpp"
#include "io/engine.hpp"
#include "io/uring.hpp"

namespace kumiko::runtime::detail {

namespace {

/// The tag of operations that nobody waits for: operation_of() makes nullptr of it.
constexpr std::uint64_t kNoTag = 0;

/// The length of a transfer as a ring's entry, which has 32 bits for it, can hold it: as much as
/// the system moves in one call at most.
std::size_t length_in_ring(std::size_t length) {
  constexpr std::size_t kMost = 0x7ffff000;
  return std::min(length, kMost);
}

}  // namespace

UringRings::Ring::Ring() {
  io_uring_params parameters{};
  constexpr unsigned kQuiet = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
  parameters.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | kQuiet;
  parameters.cq_entries = tunables::kCompletionEntries;
  int error = io_uring_queue_init_params(tunables::kSubmissionEntries, &ring, &parameters);
  if (error == -EINVAL) {
    // Linux before 5.19 refuses these flags; completions interrupt the worker there.
    parameters.flags &= ~kQuiet;
    error = io_uring_queue_init_params(tunables::kSubmissionEntries, &ring, &parameters);
  }
  if (error < 0) {
    throw std::system_error(-error, std::generic_category(), "no io_uring for a worker");
  }
}

std::unique_ptr<FileEngine> make_uring_files(Scheduler& scheduler) {
  return std::make_unique<UringRings>(scheduler);
}

UringRings::UringRings(Scheduler& scheduler) : scheduler_(scheduler) {
  for (std::size_t i = 0; i < scheduler.worker_count(); ++i)
    rings_.push_back(std::make_unique<Ring>());
}

// --- Beginning -----------------------------------------------------------------------------------

bool UringRings::start(Operation& operation, DescriptorKind kind) noexcept {
  // The ring would take a transfer at an offset of a stream for one without.
  const bool at_offset =
      operation.kind == Operation::Kind::kReadAt || operation.kind == Operation::Kind::kWriteAt;
  if (at_offset && kind != DescriptorKind::kFile &&
      ::lseek(operation.descriptor, 0, SEEK_CUR) < 0) {
    operation.set_result(-errno);
    return true;
  }
  // The kernel would try it at once, and block the worker in that.
  operation.blocks = kind == DescriptorKind::kDevice;
  operation.place.store(Operation::Place::kRing, std::memory_order_relaxed);
  if (enter(operation)) return false;
  operation.set_result(-EAGAIN);
  return true;
}

bool UringRings::enter(Operation& operation) noexcept {
  const std::size_t instance = calling_instance(scheduler_);
  Ring& ring = *rings_[instance];
  const std::lock_guard lock(ring.guard);
  io_uring_sqe* const slot = next_slot(ring);
  if (slot == nullptr) return false;
  prepare(*slot, operation);
  if (operation.blocks) slot->flags |= IOSQE_ASYNC;
  ring.sequence = ring.sequence + 1;
  operation.instance = instance;
  operation.tag = reinterpret_cast<std::uintptr_t>(&operation) | (ring.sequence << kSequenceShift);
  io_uring_sqe_set_data64(slot, operation.tag);
  const unsigned unsubmitted = io_uring_sq_ready(&ring.ring);
  ring.unsubmitted.store(unsubmitted, std::memory_order_relaxed);
  // An OS thread that is not a worker does not come back to it.
  if (unsubmitted >= tunables::kSubmissionBatch || !note_unsubmitted(scheduler_)) submit(ring);
  return true;
}

io_uring_sqe* UringRings::next_slot(Ring& ring) noexcept {
  for (int tries = 0; tries < tunables::kSubmissionTries; ++tries) {
    if (io_uring_sqe* const slot = io_uring_get_sqe(&ring.ring); slot != nullptr) return slot;
    submit(ring);
    if (tries > 0) sched_yield();
  }
  return nullptr;
}

/// Offers the ring's submissions to the system; what it does not take now is offered again by the
/// next call.
void UringRings::submit(Ring& ring) noexcept {
  io_uring_submit(&ring.ring);
  ring.unsubmitted.store(io_uring_sq_ready(&ring.ring), std::memory_order_relaxed);
}

void UringRings::prepare(io_uring_sqe& slot, Operation& operation) noexcept {
  if (operation.polls_first) {
    return io_uring_prep_poll_add(&slot, operation.descriptor,
                                  static_cast<unsigned short>(operation.wanted_events()));
  }
  const int descriptor = operation.descriptor;
  const auto count = static_cast<unsigned>(operation.vector_count);
  const auto offset = static_cast<std::uint64_t>(operation.offset);
  const bool file = operation.place.load(std::memory_order_relaxed) == Operation::Place::kRing;
  msghdr& own = operation.message_of_vectors();
  switch (operation.kind) {
    case Operation::Kind::kRead:
      if (file) return io_uring_prep_readv(&slot, descriptor, operation.vectors, count, offset);
      if (count != 1) return io_uring_prep_recvmsg(&slot, descriptor, &own, 0);
      return prepare_receive(slot, operation);
    case Operation::Kind::kWrite:
      if (file) return io_uring_prep_writev(&slot, descriptor, operation.vectors, count, offset);
      return io_uring_prep_sendmsg(&slot, descriptor, &own, MSG_NOSIGNAL);
    case Operation::Kind::kReadAt:
      return io_uring_prep_readv(&slot, descriptor, operation.vectors, count, offset);
    case Operation::Kind::kWriteAt:
      return io_uring_prep_writev(&slot, descriptor, operation.vectors, count, offset);
    case Operation::Kind::kReceive:
      return prepare_receive(slot, operation);
    case Operation::Kind::kSend:
      return io_uring_prep_send(&slot, descriptor, operation.vectors->iov_base,
                                length_in_ring(operation.vectors->iov_len),
                                operation.flags | MSG_NOSIGNAL);
    case Operation::Kind::kReceiveMessage:
      return io_uring_prep_recvmsg(&slot, descriptor, operation.message,
                                   static_cast<unsigned>(operation.flags));
    case Operation::Kind::kSendMessage:
      return io_uring_prep_sendmsg(&slot, descriptor, operation.message,
                                   static_cast<unsigned>(operation.flags) | MSG_NOSIGNAL);
    case Operation::Kind::kSync:
      return io_uring_prep_fsync(&slot, descriptor, 0);
    case Operation::Kind::kSyncData:
      return io_uring_prep_fsync(&slot, descriptor, IORING_FSYNC_DATASYNC);
    case Operation::Kind::kOpen:
      return io_uring_prep_openat(&slot, AT_FDCWD, operation.path, operation.flags, operation.mode);
    case Operation::Kind::kRename:
      return io_uring_prep_renameat(&slot, AT_FDCWD, operation.path, AT_FDCWD, operation.new_path,
                                    0);
    default:
      return io_uring_prep_nop(&slot);
  }
}

void UringRings::prepare_receive(io_uring_sqe& slot, Operation& operation) noexcept {
  const iovec& into = *operation.vectors;
  io_uring_prep_recv(&slot, operation.descriptor, into.iov_base, length_in_ring(into.iov_len),
                     operation.flags);
  if (operation.expects_to_wait) slot.ioprio |= IORING_RECVSEND_POLL_FIRST;
}

void UringRings::give_up(const Operation& operation) noexcept {
  Ring& ring = *rings_[operation.instance];
  for (;; sched_yield()) {
    const std::lock_guard lock(ring.guard);
    io_uring_sqe* const slot = next_slot(ring);
    if (slot == nullptr) continue;
    io_uring_prep_cancel64(slot, operation.tag, 0);
    io_uring_sqe_set_data64(slot, kNoTag);
    return submit(ring);
  }
}

// --- Ending --------------------------------------------------------------------------------------

std::size_t UringRings::take(std::size_t instance, std::size_t budget, Events& events) noexcept {
  Ring& ring = *rings_[instance];
  std::array<io_uring_cqe*, tunables::kEventsPerPoll> entries;
  if (!ring.guard.try_lock()) return 0;
  if (ring.unsubmitted.load(std::memory_order_relaxed) != 0) submit(ring);
  const unsigned count = io_uring_peek_batch_cqe(
      &ring.ring, entries.data(), static_cast<unsigned>(std::min(budget, entries.size())));
  for (unsigned i = 0; i < count; ++i) events[i] = {entries[i]->user_data, entries[i]->res};
  io_uring_cq_advance(&ring.ring, count);
  ring.guard.unlock();
  return count;
}

void UringRings::end_file(Operation& operation, std::int64_t result) noexcept {
  // The system cancels what an OS thread has handed over that has ended meanwhile.
  if ((result == -EINTR || result == -ECANCELED) && enter(operation)) return;
  // A file in non-blocking mode, which the ring takes at its word though it has no readiness.
  if (result == -EAGAIN) result = operation.execute();
  operation.complete(result);
}

int UringRings::poll(std::size_t instance, std::size_t budget) noexcept {
  Events events;
  const std::size_t count = take(instance, budget, events);
  for (std::size_t i = 0; i < count; ++i) end_file(*operation_of(events[i].tag), events[i].result);
  return static_cast<int>(count);
}

}  // namespace kumiko::runtime::detail
