#include "io/epoll_engine.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>

#include "core/scheduler.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

/// Level-triggered: what a poll leaves there is reported again. An event without an entry is of
/// the files.
void watch_files(int epoll, int files) {
  if (files < 0) return;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, files, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "no epoll for a worker's files");
  }
}

}  // namespace

EpollEngine::EpollEngine(Scheduler& scheduler, std::unique_ptr<FileEngine> files)
    : scheduler_(scheduler), files_(std::move(files)) {
  for (std::size_t i = 0; i < scheduler.worker_count(); ++i) {
    auto instance = std::make_unique<Instance>();
    instance->epoll = UniqueDescriptor(epoll_create1(EPOLL_CLOEXEC));
    if (instance->epoll.get() < 0) {
      throw std::system_error(errno, std::generic_category(), "no epoll instance for a worker");
    }
    watch_files(instance->epoll.get(), files_->pollable(i));
    instances_.push_back(std::move(instance));
  }
}

int EpollEngine::pollable(std::size_t instance) const noexcept {
  return instances_[instance]->epoll.get();
}

/// The side that an operation waits for; nullptr if any event concerns it.
EpollEngine::Side* EpollEngine::side_of(Entry& entry, const Operation& operation) noexcept {
  const Operation::Direction direction = operation.direction();
  if (direction == Operation::Direction::kIn) return &entry.in;
  return direction == Operation::Direction::kOut ? &entry.out : nullptr;
}

std::int64_t EpollEngine::attempt(Entry& entry, Side& side, Operation& operation,
                                  DescriptorKind kind) noexcept {
  // acquire: pairs with the release in note_edge(), so that a hang-up that was counted is seen.
  const std::uint32_t edges = side.edges.load(std::memory_order_acquire);
  const std::int64_t result = operation.attempt(kind);
  bool drained = result == -EAGAIN;
  if (kind == DescriptorKind::kTcp && result > 0 && operation.kind == Operation::Kind::kRead) {
    // Less than asked for: nothing is left, unless the end or urgent data came with it, which is
    // reported (EPOLLRDHUP, EPOLLPRI). relaxed: ordered by the reading of edges.
    drained = static_cast<std::size_t>(result) < operation.length() &&
              !entry.short_reads_may_not_be_last.load(std::memory_order_relaxed);
  }
  // relaxed: a hint that may come late, see Side.
  if (drained) side.drained.store(edges, std::memory_order_relaxed);
  return result;
}

bool EpollEngine::start(Operation& operation) noexcept {
  if (operation.kind == Operation::Kind::kOpen || operation.kind == Operation::Kind::kRename) {
    return files_->start(operation, DescriptorKind::kFile);
  }
  Entry* const entry = table_.get(operation.descriptor);
  if (entry == nullptr) {
    operation.set_result(-errno);
    return true;
  }
  operation.generation = entry->generation();
  DescriptorKind kind{};
  if (const int error = entry->kind(operation.descriptor, kind); error != 0) {
    operation.set_result(error);
    return true;
  }
  if (operation.concerns_file(kind)) return files_->start(operation, kind);
  Side* const side = side_of(*entry, operation);
  // Nobody gets past those that wait. relaxed: a hint; whoever comes at the same time has no claim.
  if (side == nullptr) {
    operation.set_result(operation.attempt(kind));
    if (operation.result() != -EAGAIN) return true;
  } else if (side->waiting.load(std::memory_order_relaxed) == 0 &&
             (side->may_be_ready() || operation.is_urgent)) {
    operation.set_result(attempt(*entry, *side, operation, kind));
    if (operation.result() != -EAGAIN) return true;
  }
  operation.place.store(Operation::Place::kEntry, std::memory_order_relaxed);
  post_arrival(*entry, operation);
  return false;
}

void EpollEngine::cancel(Operation& operation) noexcept {
  if (operation.place.load(std::memory_order_relaxed) != Operation::Place::kEntry) {
    return files_->cancel(operation);
  }
  Entry& entry = *table_.find(operation.descriptor);
  operation.cancel_requested.store(true, std::memory_order_relaxed);
  // release: pairs with the server's exchange. An exchange, so that what another canceller did
  // before his is seen too.
  entry.cancellations.exchange(true, std::memory_order_release);
  post(entry);
}

bool EpollEngine::close(Operation& operation) noexcept {
  // Made if need be: somebody may be about to use it for the first time.
  Entry* const entry = table_.get(operation.descriptor);
  if (entry == nullptr) {
    operation.set_result(operation.execute());
    return true;
  }
  post_arrival(*entry, operation);
  return false;
}

void EpollEngine::post_arrival(Entry& entry, Operation& operation) noexcept {
  Operation* latest = entry.arrivals.load(std::memory_order_relaxed);
  do {
    operation.next = latest;
    // release: pairs with the acquire in take_arrivals().
  } while (!entry.arrivals.compare_exchange_weak(latest, &operation, std::memory_order_release,
                                                 std::memory_order_relaxed));
  post(entry);
}

void EpollEngine::post(Entry& entry) noexcept {
  // acq_rel: the server sees what was posted, and the next server what the last one did.
  if (entry.posts.fetch_add(1, std::memory_order_acq_rel) == 0) serve(entry);
}

/// Goes on until no post came while it looked. Only then may another become the server.
void EpollEngine::serve(Entry& entry) noexcept {
  std::uint32_t seen = 0;
  do {
    seen = entry.posts.load(std::memory_order_acquire);
    // Asked before the arrivals are taken, so that whoever is cancelled has arrived by then: one
    // who came and was cancelled in between would stay for ever. acquire: pairs with the release in
    // cancel().
    const bool has_cancelled = entry.cancellations.exchange(false, std::memory_order_acquire);
    take_arrivals(entry);
    if (has_cancelled) drop_cancelled(entry);
    serve_side(entry, entry.in);
    serve_side(entry, entry.out);
    serve_either(entry);
  } while (!entry.posts.compare_exchange_strong(seen, 0, std::memory_order_acq_rel));
}

void EpollEngine::take_arrivals(Entry& entry) noexcept {
  // acquire: pairs with the release in post_arrival().
  Operation* latest = entry.arrivals.exchange(nullptr, std::memory_order_acquire);
  Operation* oldest = nullptr;
  while (latest != nullptr) {
    Operation* const next = latest->next;
    latest->next = oldest;
    oldest = latest;
    latest = next;
  }
  while (oldest != nullptr) {
    Operation* const next = oldest->next;
    take(entry, *oldest);
    oldest = next;
  }
}

void EpollEngine::take(Entry& entry, Operation& operation) noexcept {
  if (operation.kind == Operation::Kind::kClose) return close_entry(entry, operation);
  if (operation.generation != entry.generation()) return operation.complete(-EBADF);
  if (!ensure_registered(entry, operation.descriptor)) return operation.complete(-errno);
  Side* const side = side_of(entry, operation);
  (side != nullptr ? side->queue : entry.either).append(operation);
  if (side != nullptr) {
    side->waiting.store(side->waiting.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
  }
}

bool EpollEngine::ensure_registered(Entry& entry, int descriptor) noexcept {
  if (entry.registered) return true;
  entry.instance = calling_instance(scheduler_);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET;
  event.data.ptr = &entry;
  // The system reports at once what is ready already.
  const int epoll = instances_[entry.instance]->epoll.get();
  entry.registered = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
  return entry.registered;
}

void EpollEngine::drop_cancelled(Entry& entry) noexcept {
  const auto drop_from = [](OperationQueue& queue, std::atomic<std::uint32_t>* waiting) {
    for (Operation* operation = queue.front(); operation != nullptr;) {
      Operation* const next = operation->next;
      if (operation->cancel_requested.load(std::memory_order_relaxed)) {
        queue.remove(*operation);
        if (waiting != nullptr) waiting->fetch_sub(1, std::memory_order_relaxed);
        operation->complete(-ECANCELED);
      }
      operation = next;
    }
  };
  drop_from(entry.in.queue, &entry.in.waiting);
  drop_from(entry.out.queue, &entry.out.waiting);
  drop_from(entry.either, nullptr);
}

void EpollEngine::serve_side(Entry& entry, Side& side) noexcept {
  while (!side.queue.empty() && side.may_be_ready()) {
    Operation& operation = *side.queue.front();
    DescriptorKind kind{};
    std::int64_t result = entry.kind(operation.descriptor, kind);
    if (result == 0) result = attempt(entry, side, operation, kind);
    if (result == -EAGAIN) continue;
    side.queue.remove(operation);
    side.waiting.fetch_sub(1, std::memory_order_relaxed);
    operation.complete(result);
  }
}

void EpollEngine::serve_either(Entry& entry) noexcept {
  for (Operation* operation = entry.either.front(); operation != nullptr;) {
    Operation* const next = operation->next;
    if (const std::int64_t result = operation->attempt(DescriptorKind::kUnknown);
        result != -EAGAIN) {
      entry.either.remove(*operation);
      operation->complete(result);
    }
    operation = next;
  }
}

void EpollEngine::fail_all(Entry& entry, int error) noexcept {
  entry.in.waiting.store(0, std::memory_order_relaxed);
  entry.out.waiting.store(0, std::memory_order_relaxed);
  for (OperationQueue* const queue : {&entry.in.queue, &entry.out.queue, &entry.either}) {
    while (Operation* const operation = queue->front()) {
      queue->remove(*operation);
      operation->complete(-error);
    }
  }
}

/// The server closes the descriptor itself, so that nobody can register it between the waiters'
/// failure and the close.
void EpollEngine::close_entry(Entry& entry, Operation& operation) noexcept {
  entry.begin_close();
  fail_all(entry, EBADF);
  if (entry.registered) {
    // A duplicate elsewhere would keep the registration.
    epoll_ctl(instances_[entry.instance]->epoll.get(), EPOLL_CTL_DEL, operation.descriptor,
              nullptr);
    entry.registered = false;
  }
  for (Side* const side : {&entry.in, &entry.out}) {
    side->drained.store(side->edges.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  entry.short_reads_may_not_be_last.store(false, std::memory_order_relaxed);
  const std::int64_t result = operation.execute();
  entry.end_close();
  operation.complete(result);
}

int EpollEngine::poll(std::size_t index, std::size_t budget) noexcept {
  // By itself, for somebody else may be polling the instance; and with half of the budget, so that
  // files of which some are always done leave room for the others.
  int found = files_->has_unsubmitted(index) ? files_->poll(index, (budget + 1) / 2) : 0;
  budget -= static_cast<std::size_t>(found);
  Instance& instance = *instances_[index];
  // acquire: pairs with the release below, for the counts of edges.
  if (budget == 0 || instance.polled.load(std::memory_order_relaxed) ||
      instance.polled.exchange(true, std::memory_order_acquire)) {
    return found;
  }
  std::array<epoll_event, tunables::kEventsPerPoll> events;
  const int count = epoll_wait(instance.epoll.get(), events.data(),
                               static_cast<int>(std::min(budget, events.size())), 0);
  bool has_files = false;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.ptr == nullptr) {
      has_files = true;
    } else {
      note_news(*static_cast<Entry*>(event.data.ptr), event.events);
    }
  }
  instance.polled.store(false, std::memory_order_release);
  if (count > 0) found += count;
  if (!has_files) return found;
  // Their event was none of an operation's, so the budget has room for one at least.
  const std::size_t left = budget + 1 - static_cast<std::size_t>(count);
  return found - 1 + files_->poll(index, left);
}

void EpollEngine::note_news(Entry& entry, std::uint32_t news) noexcept {
  if ((news & (EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI)) != 0) {
    entry.short_reads_may_not_be_last.store(true, std::memory_order_relaxed);
  }
  const bool both = (news & (EPOLLHUP | EPOLLERR)) != 0;
  if (both || (news & (EPOLLIN | EPOLLRDHUP | EPOLLPRI)) != 0) entry.in.note_edge();
  if (both || (news & EPOLLOUT) != 0) entry.out.note_edge();
  post(entry);
}

}  // namespace kumiko::runtime::detail
