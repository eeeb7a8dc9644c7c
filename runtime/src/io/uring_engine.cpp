#include "io/uring_engine.hpp"

#include <array>
#include <cerrno>
#include <mutex>

#include <liburing.h>

#include "io/uring.hpp"

namespace kumiko::runtime::detail {

namespace {

constexpr std::array kNeeded{IORING_OP_READV,    IORING_OP_WRITEV,  IORING_OP_FSYNC,
                             IORING_OP_POLL_ADD, IORING_OP_SENDMSG, IORING_OP_RECVMSG,
                             IORING_OP_SEND,     IORING_OP_RECV,    IORING_OP_ASYNC_CANCEL,
                             IORING_OP_OPENAT,   IORING_OP_RENAMEAT};

bool writes(const Operation& operation) noexcept {
  using Kind = Operation::Kind;
  return operation.kind == Kind::kWrite || operation.kind == Kind::kSend ||
         operation.kind == Kind::kSendMessage;
}

/// Whether the ring does the operation, rather than waiting until it can be done.
bool is_done_by_ring(const Operation& operation, DescriptorKind kind) noexcept {
  return is_socket(kind) && operation.kind != Operation::Kind::kAccept &&
         operation.kind != Operation::Kind::kPoll;
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
  return rings_.start(operation, kind);
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
  if (!first || rings_.enter(operation)) return false;
  remove(entry, operation);
  operation.set_result(-EAGAIN);
  return true;
}

OperationQueue& UringEngine::queue_of(Entry& entry, const Operation& operation) noexcept {
  const Operation::Direction direction = operation.direction();
  if (direction == Operation::Direction::kIn) return entry.in;
  return direction == Operation::Direction::kOut ? entry.out : entry.either;
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

// --- Ending --------------------------------------------------------------------------------------

int UringEngine::poll(std::size_t instance, std::size_t budget) noexcept {
  UringRings::Events events;
  const std::size_t count = rings_.take(instance, budget, events);
  for (std::size_t i = 0; i < count; ++i) {
    if (Operation* const operation = UringRings::operation_of(events[i].tag); operation != nullptr)
      handle(*operation, events[i].result);
  }
  return static_cast<int>(count);
}

void UringEngine::handle(Operation& operation, std::int64_t result) noexcept {
  const bool is_of_file =
      operation.place.load(std::memory_order_relaxed) == Operation::Place::kRing;
  is_of_file ? rings_.end_file(operation, result) : handle_in_entry(operation, result);
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
  if (!cancelled && rings_.enter(operation)) return true;
  result = cancelled ? -ECANCELED : -EAGAIN;
  return false;
}

/// Gives the oldest operation that waits in `queue` its turn.
void UringEngine::enter_next(Entry& entry, OperationQueue& queue,
                             OperationQueue& refused) noexcept {
  while (Operation* const next = queue.front()) {
    if (rings_.enter(*next)) return;
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
    if (&queue == &entry.either || queue.front() == &operation) return rings_.give_up(operation);
    remove(entry, operation);
  }
  operation.complete(-ECANCELED);
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
          rings_.give_up(*waiting);
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
