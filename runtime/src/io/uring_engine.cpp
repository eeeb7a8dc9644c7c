#include "io/uring_engine.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "core/scheduler.hpp"
#include "io/uring.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

/// Addresses of user space have 47 bits; the number is above them.
constexpr unsigned kSequenceShift = 48;
constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kSequenceShift) - 1;

/// The tag of operations that nobody waits for.
constexpr std::uint64_t kNoTag = 0;

constexpr std::array kNeeded{IORING_OP_READV,    IORING_OP_WRITEV,  IORING_OP_FSYNC,
                             IORING_OP_POLL_ADD, IORING_OP_SENDMSG, IORING_OP_RECVMSG,
                             IORING_OP_SEND,     IORING_OP_RECV,    IORING_OP_ASYNC_CANCEL,
                             IORING_OP_OPENAT,   IORING_OP_RENAMEAT};

bool writes(const Operation& operation) noexcept {
  switch (operation.kind) {
    case Operation::Kind::kWrite:
    case Operation::Kind::kSend:
    case Operation::Kind::kSendMessage:
      return true;
    default:
      return false;
  }
}

/// Whether the ring does the operation, rather than waiting until it can be done.
bool is_done_by_ring(const Operation& operation, DescriptorKind kind) noexcept {
  switch (operation.kind) {
    case Operation::Kind::kAccept:
    case Operation::Kind::kPoll:
      return false;
    default:
      return is_socket(kind);
  }
}

}  // namespace

int uring_refusal() noexcept {
  io_uring ring{};
  if (const int error = io_uring_queue_init(8, &ring, 0); error < 0) return -error;
  int refusal = EOPNOTSUPP;
  if (io_uring_probe* const probe = io_uring_get_probe_ring(&ring); probe != nullptr) {
    refusal = 0;
    for (const auto operation : kNeeded) {
      if (io_uring_opcode_supported(probe, operation) == 0) refusal = EOPNOTSUPP;
    }
    io_uring_free_probe(probe);
  }
  if ((ring.features & IORING_FEAT_NODROP) == 0) refusal = EOPNOTSUPP;
  io_uring_queue_exit(&ring);
  return refusal;
}

std::unique_ptr<Engine> make_uring_engine(Scheduler& scheduler) {
  return std::make_unique<UringEngine>(scheduler);
}

UringEngine::Ring::Ring() {
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

UringEngine::UringEngine(Scheduler& scheduler) : Engine(scheduler) {
  for (std::size_t i = 0; i < scheduler.worker_count(); ++i)
    rings_.push_back(std::make_unique<Ring>());
}

int UringEngine::pollable(std::size_t instance) const noexcept {
  return rings_[instance]->ring.ring_fd;
}

bool UringEngine::has_unsubmitted(std::size_t instance) const noexcept {
  // relaxed: what the caller has left there itself it sees.
  return rings_[instance]->unsubmitted.load(std::memory_order_relaxed) != 0;
}

// --- Beginning -----------------------------------------------------------------------------------

bool UringEngine::start(Operation& operation) noexcept {
  DescriptorKind kind = DescriptorKind::kFile;
  Entry* entry = nullptr;
  if (operation.descriptor >= 0 || !operation.concerns_file(kind)) {
    entry = table_.get(operation.descriptor);
    const int error = entry == nullptr ? -errno : entry->kind(operation.descriptor, kind);
    if (error != 0) {
      operation.set_result(error);
      return true;
    }
  }
  if (entry != nullptr && !operation.concerns_file(kind)) {
    return start_in_entry(*entry, operation, kind);
  }
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

bool UringEngine::start_in_entry(Entry& entry, Operation& operation, DescriptorKind kind) noexcept {
  operation.generation = entry.generation();
  operation.polls_first = !is_done_by_ring(operation, kind);
  operation.place.store(Operation::Place::kEntry, std::memory_order_relaxed);
  // Nobody gets past those that wait. relaxed: a hint; whoever comes at the same time has no claim.
  if (writes(operation) && entry.writers.load(std::memory_order_relaxed) == 0) {
    operation.set_result(operation.attempt(kind));
    if (operation.result() != -EAGAIN) return true;
  }
  const std::lock_guard lock(entry.guard);
  if (operation.generation != entry.generation()) {
    operation.set_result(-EBADF);
    return true;
  }
  OperationQueue& queue = queue_of(entry, operation);
  const bool first = queue.empty() || &queue == &entry.either;
  if (first && (operation.polls_first || operation.is_urgent) && !writes(operation)) {
    operation.set_result(operation.attempt(kind));
    if (operation.result() != -EAGAIN) return true;
  }
  operation.expects_to_wait = entry.drained;
  append(entry, operation);
  if (!first || enter(operation)) return false;
  remove(entry, operation);
  operation.set_result(-EAGAIN);
  return true;
}

OperationQueue& UringEngine::queue_of(Entry& entry, const Operation& operation) noexcept {
  switch (operation.direction()) {
    case Operation::Direction::kIn:
      return entry.in;
    case Operation::Direction::kOut:
      return entry.out;
    default:
      return entry.either;
  }
}

void UringEngine::append(Entry& entry, Operation& operation) noexcept {
  OperationQueue& queue = queue_of(entry, operation);
  queue.append(operation);
  if (&queue == &entry.out) entry.writers.fetch_add(1, std::memory_order_relaxed);
}

void UringEngine::remove(Entry& entry, Operation& operation) noexcept {
  OperationQueue& queue = queue_of(entry, operation);
  queue.remove(operation);
  operation.place.store(Operation::Place::kNowhere, std::memory_order_relaxed);
  if (&queue == &entry.out) entry.writers.fetch_sub(1, std::memory_order_relaxed);
}

/// Puts an operation into the ring of the calling worker. Returns false if the ring is full and
/// stays so.
bool UringEngine::enter(Operation& operation) noexcept {
  const std::size_t instance = calling_instance();
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
  if (unsubmitted >= tunables::kSubmissionBatch || !note_unsubmitted()) submit(ring);
  return true;
}

io_uring_sqe* UringEngine::next_slot(Ring& ring) noexcept {
  for (int tries = 0; tries < tunables::kSubmissionTries; ++tries) {
    if (io_uring_sqe* const slot = io_uring_get_sqe(&ring.ring); slot != nullptr) return slot;
    submit(ring);
    if (tries > 0) sched_yield();
  }
  return nullptr;
}

/// Offers the ring's submissions to the system; what it does not take now is offered again by the
/// next call.
void UringEngine::submit(Ring& ring) noexcept {
  io_uring_submit(&ring.ring);
  ring.unsubmitted.store(io_uring_sq_ready(&ring.ring), std::memory_order_relaxed);
}

void UringEngine::prepare(io_uring_sqe& slot, Operation& operation) noexcept {
  if (operation.polls_first) {
    return io_uring_prep_poll_add(&slot, operation.descriptor,
                                  static_cast<unsigned short>(operation.wanted_events()));
  }
  const int descriptor = operation.descriptor;
  const auto count = static_cast<unsigned>(operation.vector_count);
  const auto offset = static_cast<std::uint64_t>(operation.offset);
  const bool file = operation.place.load(std::memory_order_relaxed) == Operation::Place::kRing;
  msghdr& own = operation.own_message;
  own.msg_iov = const_cast<iovec*>(operation.vectors);
  own.msg_iovlen = count;
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
                                operation.vectors->iov_len, operation.flags | MSG_NOSIGNAL);
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

void UringEngine::prepare_receive(io_uring_sqe& slot, Operation& operation) noexcept {
  const iovec& into = *operation.vectors;
  io_uring_prep_recv(&slot, operation.descriptor, into.iov_base, into.iov_len, operation.flags);
  if (operation.expects_to_wait) slot.ioprio |= IORING_RECVSEND_POLL_FIRST;
}

// --- Ending --------------------------------------------------------------------------------------

int UringEngine::poll(std::size_t instance, std::size_t budget) noexcept {
  Ring& ring = *rings_[instance];
  struct Event {
    std::uint64_t tag;
    std::int64_t result;
  };
  std::array<io_uring_cqe*, tunables::kEventsPerPoll> entries;
  std::array<Event, tunables::kEventsPerPoll> events;
  if (!ring.guard.try_lock()) return 0;
  if (ring.unsubmitted.load(std::memory_order_relaxed) != 0) submit(ring);
  const unsigned count = io_uring_peek_batch_cqe(
      &ring.ring, entries.data(), static_cast<unsigned>(std::min(budget, entries.size())));
  for (unsigned i = 0; i < count; ++i) events[i] = {entries[i]->user_data, entries[i]->res};
  io_uring_cq_advance(&ring.ring, count);
  ring.guard.unlock();
  for (unsigned i = 0; i < count; ++i) handle(events[i].tag, events[i].result);
  return static_cast<int>(count);
}

void UringEngine::handle(std::uint64_t tag, std::int64_t result) noexcept {
  if (tag == kNoTag) return;
  auto& operation = *reinterpret_cast<Operation*>(tag & kAddressMask);
  if (operation.place.load(std::memory_order_relaxed) != Operation::Place::kRing) {
    return handle_in_entry(operation, result);
  }
  // The system cancels what an OS thread has handed over that has ended meanwhile.
  if ((result == -EINTR || result == -ECANCELED) && enter(operation)) return;
  // A file in non-blocking mode, which the ring takes at its word though it has no readiness.
  if (result == -EAGAIN) result = operation.execute();
  operation.complete(result);
}

void UringEngine::handle_in_entry(Operation& operation, std::int64_t result) noexcept {
  Entry& entry = *table_.find(operation.descriptor);
  OperationQueue refused;
  {
    const std::lock_guard lock(entry.guard);
    if (goes_on(entry, operation, result)) return;
    entry.drained = result > 0 && static_cast<std::size_t>(result) < operation.length();
    if (!operation.closed) {
      OperationQueue& queue = queue_of(entry, operation);
      remove(entry, operation);
      if (&queue != &entry.either) enter_next(entry, queue, refused);
    }
  }
  operation.complete(result);
  while (Operation* const other = refused.front()) {
    refused.remove(*other);
    other->complete(-EAGAIN);
  }
}

/// Whether the operation is in a ring again; otherwise `result` is its result. Guarded, so that the
/// descriptor is the same until the attempt is over.
bool UringEngine::goes_on(Entry& entry, Operation& operation, std::int64_t& result) noexcept {
  if (operation.closed) {
    if (operation.polls_first || result < 0) result = -EBADF;
    return false;
  }
  const bool cancelled = operation.cancel_requested.load(std::memory_order_relaxed);
  if (operation.polls_first && result >= 0) {
    DescriptorKind kind{};
    result = entry.kind(operation.descriptor, kind);
    if (result == 0) result = operation.attempt(kind);
  } else if (result == -EAGAIN) {
    operation.polls_first = true;  // a socket in non-blocking mode
  } else if (result != -EINTR && (result != -ECANCELED || cancelled)) {
    return false;
  }
  if (result != -EAGAIN && result != -EINTR && result != -ECANCELED) return false;
  if (!cancelled && enter(operation)) return true;
  result = cancelled ? -ECANCELED : -EAGAIN;
  return false;
}

/// Gives the oldest operation that waits in `queue` its turn.
void UringEngine::enter_next(Entry& entry, OperationQueue& queue,
                             OperationQueue& refused) noexcept {
  while (Operation* const next = queue.front()) {
    if (enter(*next)) return;
    remove(entry, *next);
    refused.append(*next);
  }
}

void UringEngine::cancel(Operation& operation) noexcept {
  // A file operation goes its way.
  if (operation.place.load(std::memory_order_relaxed) == Operation::Place::kRing) return;
  Entry& entry = *table_.find(operation.descriptor);
  {
    const std::lock_guard lock(entry.guard);
    // Already done, or about to be failed by close().
    if (operation.place.load(std::memory_order_relaxed) != Operation::Place::kEntry) return;
    operation.cancel_requested.store(true, std::memory_order_relaxed);
    OperationQueue& queue = queue_of(entry, operation);
    if (&queue == &entry.either || queue.front() == &operation) return submit_cancel(operation);
    remove(entry, operation);
  }
  operation.complete(-ECANCELED);
}

/// Tries again until there is room, for without it somebody would wait for ever.
void UringEngine::submit_cancel(const Operation& operation) noexcept {
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

bool UringEngine::close(Operation& operation) noexcept {
  // Made if need be: somebody may be about to use it for the first time.
  Entry* const entry = table_.get(operation.descriptor);
  if (entry == nullptr) {
    operation.set_result(operation.execute());
    return true;
  }
  OperationQueue failed;
  {
    const std::lock_guard lock(entry->guard);
    entry->begin_close();
    for (OperationQueue* const queue : {&entry->in, &entry->out, &entry->either}) {
      bool in_ring = true;
      while (Operation* const waiting = queue->front()) {
        remove(*entry, *waiting);
        waiting->closed = true;
        if (in_ring) {
          submit_cancel(*waiting);
        } else {
          failed.append(*waiting);
        }
        in_ring = queue == &entry->either;
      }
    }
    // Under the guard: what came into a ring between our look at the queues and the close would
    // keep the file open, and wait for ever.
    operation.set_result(operation.execute());
    entry->end_close();
  }
  while (Operation* const waiting = failed.front()) {
    failed.remove(*waiting);
    waiting->complete(-EBADF);
  }
  return true;
}

}  // namespace kumiko::runtime::detail
