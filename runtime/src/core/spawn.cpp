#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>

#include <kumiko/runtime/detail/group_state.hpp>
#include <kumiko/runtime/detail/lazy.hpp>
#include <kumiko/runtime/detail/spawn.hpp>

#include "core/aggregation.hpp"
#include "core/completion.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "diagnosis/fault.hpp"
#include "diagnosis/report.hpp"
#include "tunables.hpp"

/// The life of a lightweight thread, in one file so that the compiler sees all of the hot path.
namespace kumiko::runtime::detail {

namespace {

[[noreturn]] void throw_no_worker() {
  throw std::logic_error(
      "a lightweight thread spawned outside a lightweight thread; use Runtime::run to start one");
}

[[noreturn]] void throw_closure_too_large(std::size_t size, std::size_t stack_size) {
  throw std::length_error("a closure of " + std::to_string(size) +
                          " bytes does not fit on a stack of " + std::to_string(stack_size) +
                          " bytes; raise Options::stack_size or capture a pointer");
}

void take_join_state(Worker& worker, Descriptor& thread) {
  try {
    thread.join_state = worker.join_states().take();
  } catch (...) {
    worker.stacks().give(&thread);
    throw;
  }
  // relaxed: the thread is not known to anybody yet.
  thread.join_state->word.store(join_word::kRunning, std::memory_order_relaxed);
}

/// Publishes the parent, which has been left by now, and gives way to whoever has asked for that.
void begin(Descriptor& self) noexcept {
  if (self.parent == nullptr) return;
  Worker& worker = *current_worker();
  worker.make_runnable(*self.parent);
  poll(worker);
}

void call_closure(Descriptor& self) noexcept {
  try {
    self.call(self.closure);
  } catch (...) {
    keep_exception(self, std::current_exception());
  }
  if (self.specifics != nullptr) [[unlikely]] {
    self.specifics->destroy_all();
    self.specifics.reset();
  }
}

/// Wakes `waiter`; a thread of ours is continued at once if `next` is nullptr.
Descriptor* wake(Worker& worker, Waiter& waiter, Descriptor* next) noexcept {
  Descriptor* const thread = waiter.thread();
  if (next == nullptr && thread != nullptr && thread->home == &worker.scheduler()) return thread;
  waiter.wake();
  return next;
}

/// Whether `next`, just taken from the young end, is the parent of `self`, and nobody has run it
/// since the spawn. Both conditions are needed: a thread that waits in a deque may be attached to a
/// child that has ended elsewhere, whose Descriptor is another thread's now, maybe that of `self`;
/// but then it is not the parent of `self`, since it cannot have spawned it meanwhile.
bool is_attached(const Descriptor& self, const Descriptor* next) noexcept {
  return next != nullptr && next == self.parent && next->attached_child == &self;
}

/// Decides where the worker goes on, tells whoever waits for `self`, and forgets it.
///
/// The parent of an attached thread learns of its end by being continued with
/// attached_child == nullptr, and no atomic operation is needed.
///
/// The stack is given back while we are still on it: it stays in this worker's own cache, from
/// which nobody takes before the worker has left.
Fiber& end(Descriptor& self) noexcept {
  Worker& worker = *current_worker();
  worker.executed().increment();
  Descriptor* next = worker.ready().deque.pop();
  if (is_attached(self, next)) [[likely]] {
    next->attached_child = nullptr;
    complete_attached(self);
  } else if (Waiter* const waiter = complete_left_behind(self); waiter != nullptr) {
    next = wake(worker, *waiter, next);
  }
  worker.begin_running(&self, next, true);
  if (self.aggregation != nullptr) [[unlikely]]
    leave_group(self);
  if (!self.guarded && self.has_overflown()) [[unlikely]]
    report_broken_canary(self);
  self.alive.store(false, std::memory_order_relaxed);
  worker.stacks().give(&self);
  return next != nullptr ? next->fiber : worker.loop();
}

}  // namespace

/// The only frame that every thread has. It is not instrumented; what it calls is, and returns.
KUMIKO_SWITCHES_STACKS void* thread_main(void* descriptor) {
  auto& self = *static_cast<Descriptor*>(descriptor);
  sanitizer::arrive(self.fiber.notes);
  begin(self);
  call_closure(self);
  Fiber& next = end(self);
  sanitizer::leave(nullptr, next.notes);
  return next.stack_pointer;
}

Reservation reserve_thread(std::size_t size, std::size_t alignment, GroupState* group,
                           SourceLocation where) {
  Worker* const worker = current_worker();
  if (worker == nullptr) [[unlikely]]
    throw_no_worker();
  try {
    Descriptor* const thread = worker->stacks().take();
    thread->group = group;
    thread->where = where;
    thread->name[0] = '\0';
    void* const storage = thread->prepare(size, alignment);
    if (storage == nullptr) [[unlikely]] {
      const std::size_t stack_size = thread->stack_size;
      worker->stacks().give(thread);
      throw_closure_too_large(size, stack_size);
    }
    if (group == nullptr) take_join_state(*worker, *thread);
    // release: pairs with the acquire in report_blocked_threads().
    thread->alive.store(true, std::memory_order_release);
    return {thread, group == nullptr ? thread->join_state : nullptr, storage};
  } catch (const std::bad_alloc&) {
    throw std::system_error(ENOMEM, std::generic_category(), "no memory for a lightweight thread");
  }
}

Reservation reserve_detached(Scheduler& scheduler, std::size_t size, std::size_t alignment,
                             SourceLocation where) {
  Worker* const worker = current_worker();
  const bool is_ours = worker != nullptr && &worker->scheduler() == &scheduler;
  Descriptor* thread = nullptr;
  if (is_ours) {
    try {
      thread = worker->stacks().take();
      thread->group = nullptr;
      thread->where = where;
      thread->name[0] = '\0';
      take_join_state(*worker, *thread);
    } catch (const std::bad_alloc&) {
      throw std::system_error(ENOMEM, std::generic_category(),
                              "no memory for a lightweight thread");
    }
  } else {
    thread = &scheduler.reserve_from_outside(where);
  }
  // relaxed: the thread is not known to anybody yet.
  thread->join_state->word.store(join_word::kDetached, std::memory_order_relaxed);
  void* const storage = thread->prepare(size, alignment);
  if (storage == nullptr) [[unlikely]] {
    const std::size_t stack_size = thread->stack_size;
    cancel_detached(thread);
    throw_closure_too_large(size, stack_size);
  }
  return {thread, thread->join_state, storage};
}

void cancel_detached(Descriptor* thread) noexcept {
  release(*thread->join_state);
  Scheduler& scheduler = *thread->home;
  Worker* const worker = current_worker();
  if (worker != nullptr && &worker->scheduler() == &scheduler) {
    worker->stacks().give(thread);
    return;
  }
  Batch<Descriptor> batch;
  batch.push(thread);
  scheduler.stacks().give(batch);
}

/// A worker's own thread is counted by the worker before it can end, one from outside as a root.
void submit_thread(Descriptor* thread, void (*call)(void*)) noexcept {
  thread->start_later(call);
  // release: pairs with the acquire in report_blocked_threads().
  thread->alive.store(true, std::memory_order_release);
  Worker* const worker = current_worker();
  if (worker == nullptr || &worker->scheduler() != thread->home) {
    thread->home->inject_detached(*thread);
    return;
  }
  worker->spawned().increment();
  worker->make_event_ready(*thread);
}

void cancel_thread(Descriptor* thread) noexcept {
  thread->alive.store(false, std::memory_order_relaxed);
  // The copying of a closure may have suspended, so this may be another worker.
  if (thread->group == nullptr) release(*thread->join_state);
  current_worker()->stacks().give(thread);
}

void start_thread(Descriptor* thread, void (*call)(void*)) noexcept {
  Worker& worker = *current_worker();
  Descriptor& self = *worker.current();
  GroupState* const group = thread->group;
  const bool for_other_owner = group != nullptr && group->owner != &self;
  if (for_other_owner) [[unlikely]]
    group->counter.add();
  thread->call = call;
  thread->parent = &self;
  self.attached_child = thread;
  worker.spawned().increment();
  if (self.aggregation != nullptr) [[unlikely]]
    inherit_group(*thread, self);
  worker.become_new(*thread);
  start_fiber(self.fiber, thread->fiber, thread->closure, &thread_main, thread)();
  const bool ended = std::exchange(self.attached_child, nullptr) == nullptr;
  if (group == nullptr || ended != for_other_owner) return;
  if (for_other_owner) {
    // Never the last: whoever lets us add keeps the owner from waiting, or has a token itself.
    group->counter.leave();
  } else {
    group->counter.leave_behind();
  }
}

}  // namespace kumiko::runtime::detail
