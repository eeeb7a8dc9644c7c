#include "worker.hpp"

#include <chrono>
#include <cstddef>
#include <exception>

#include <kumiko/runtime/detail/waiter.hpp>

#include "completion.hpp"
#include "cpu_pause.hpp"
#include "scheduler.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

thread_local Worker* this_worker = nullptr;

}  // namespace

[[gnu::noinline]] Worker* current_worker() noexcept {
  // Not pure in the compiler's eyes, so that two calls are never merged into one.
  asm volatile("");
  return this_worker;
}

Worker::Worker(Scheduler& scheduler, int index)
    : scheduler_(scheduler),
      index_(index),
      random_state_(static_cast<std::uint32_t>(index) * 2654435761U + 1U),
      deque_(tunables::kDequeCapacity),
      stacks_(scheduler.stacks(), tunables::kBatchSize),
      descriptors_(scheduler.descriptors(), tunables::kBatchSize) {}

WorkerStatistics Worker::statistics() const noexcept {
  return {spawned_.read(), executed_.read(), steals_.read(), failed_steals_.read(), parks_.read()};
}

// --- Switching -----------------------------------------------------------------------------------

/// Hands the OS thread over from current() to `next` (nullptr: the loop), but for the stack.
void Worker::become(Descriptor* next) noexcept {
  if (current_ != nullptr) current_->exception_state = *exception_state_;
  *exception_state_ = next != nullptr ? next->exception_state : ExceptionState{};
  current_ = next;
}

void Worker::suspend(After after) noexcept {
  Worker& worker = *current_worker();
  Descriptor& self = *worker.current_;
  Descriptor* const next = worker.next_after_suspension();
  worker.become(next);
  switch_fiber(self.fiber, next != nullptr ? next->fiber : worker.loop_, after)();
}

void Worker::start_child(Descriptor& child) noexcept {
  Descriptor& self = *current_;
  child.parent = &self;
  self.attached_child = &child;
  spawned_.increment();
  become(&child);
  start_fiber(self.fiber, child.fiber, child.closure, &thread_main, &child)();
}

void Worker::run_from_loop(Descriptor& thread) noexcept {
  become(&thread);
  if (thread.fiber.stack_pointer != nullptr) {
    switch_fiber(loop_, thread.fiber, {})();
  } else {
    start_fiber(loop_, thread.fiber, thread.closure, &thread_main, &thread)();
  }
}

// --- The life of a thread ------------------------------------------------------------------------

/// The only frame that every thread has. It is not instrumented, what it calls is and returns.
KUMIKO_SWITCHES_STACKS Departure Worker::thread_main(void* descriptor) {
  auto& self = *static_cast<Descriptor*>(descriptor);
  Stack* const stack = self.stack;
  sanitizer::arrive(self.fiber.notes);
  begin(self);
  call_closure(self);
  Fiber& next = end(self);
  sanitizer::leave(nullptr, next.notes);
  return {next.stack_pointer, {&recycle_stack, stack}};
}

/// Publishes the parent, which has been left by now.
void Worker::begin(Descriptor& self) noexcept {
  if (self.parent == nullptr) return;
  current_worker()->make_runnable(*self.parent);
}

void Worker::call_closure(Descriptor& self) noexcept {
  try {
    self.call(self.closure);
  } catch (...) {
    keep_exception(self, std::current_exception());
  }
}

/// Decides where the worker goes on, tells whoever waits for `self`, and forgets it.
///
/// If the young end is the parent and `self` is still attached to it, then nobody has run the
/// parent since the spawn: it learns of the end by being continued with attached_child == nullptr,
/// and no atomic operation is needed.
Fiber& Worker::end(Descriptor& self) noexcept {
  Worker& worker = *current_worker();
  worker.executed_.increment();
  Descriptor* next = worker.deque_.pop();
  if (next != nullptr && next->attached_child == &self) {
    next->attached_child = nullptr;
    complete_attached(self, worker.descriptors_);
  } else if (Waiter* const waiter = complete_left_behind(self, worker.descriptors_);
             waiter != nullptr) {
    next = worker.wake(*waiter, next);
  }
  worker.current_ = nullptr;
  worker.become(next);
  return next != nullptr ? next->fiber : worker.loop_;
}

/// Wakes `waiter`; a thread of ours is continued at once where there is no other `next`.
Descriptor* Worker::wake(Waiter& waiter, Descriptor* next) noexcept {
  Descriptor* const thread = waiter.thread();
  if (next == nullptr && thread != nullptr && thread->home == &scheduler_) return thread;
  waiter.wake();
  return next;
}

void Worker::recycle_stack(void* stack) noexcept {
  current_worker()->stacks_.give(static_cast<Stack*>(stack));
}

// --- Choosing ------------------------------------------------------------------------------------

void Worker::make_runnable(Descriptor& thread) noexcept {
  deque_.push(&thread);
  scheduler_.idle().work_appeared();
}

void Worker::make_runnable_last(Descriptor& thread) noexcept {
  yielded_.push(&thread);
  // If the loop runs next it looks at the queue itself.
  if (current_ != nullptr) scheduler_.idle().work_appeared();
}

Descriptor* Worker::next_after_suspension() noexcept {
  if (++suspensions_ % tunables::kSuspensionsPerFairTurn == 0) return nullptr;
  return deque_.pop();
}

Descriptor* Worker::give_to_thief() noexcept {
  if (Descriptor* const thread = deque_.steal(); thread != nullptr) return thread;
  return yielded_.pop();
}

void Worker::run_loop() noexcept {
  this_worker = this;
  exception_state_ = os_thread_exception_state();
  loop_.notes = sanitizer::os_thread_notes();
  while (Descriptor* const thread = next_for_loop()) run_from_loop(*thread);
  this_worker = nullptr;
}

Descriptor* Worker::next_for_loop() noexcept {
  if (Descriptor* const thread = take_local(); thread != nullptr) {
    // A thief that looked at one queue before and at the other after what we have just done may
    // have seen none of what is left.
    if (has_visible_work()) scheduler_.idle().work_appeared();
    return thread;
  }
  return search();
}

/// A thread that polls and yields comes back here at once, so every source must be first in turn.
Descriptor* Worker::take_local() noexcept {
  ++turns_;
  if (turns_ % tunables::kTurnsPerSteal == 0) {
    if (Descriptor* const thread = steal_round(); thread != nullptr) return thread;
  }
  ThreadQueue& injected = scheduler_.injected();
  const bool outside_first = turns_ % 2 == 0;
  if (Descriptor* const thread = (outside_first ? injected : yielded_).pop()) return thread;
  if (Descriptor* const thread = (outside_first ? yielded_ : injected).pop()) return thread;
  return deque_.pop();
}

/// The idle worker's life, see Idle for the names and the proof. nullptr: the scheduler has ended.
Descriptor* Worker::search() noexcept {
  Idle& idle = scheduler_.idle();
  idle.begin_search();
  for (;;) {
    if (Descriptor* const thread = search_for_a_while(); thread != nullptr) {
      idle.end_search();
      return thread;
    }
    idle.announce(sleeper_);
    if (scheduler_.has_ended()) {
      idle.wake_all();
      return nullptr;
    }
    if (scheduler_.has_visible_work() && idle.retract(sleeper_)) continue;
    parks_.increment();
    sleeper_.park();
  }
}

Descriptor* Worker::search_for_a_while() noexcept {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + tunables::kSpinTime;
  do {
    for (int round = 0; round < tunables::kRoundsPerClock; ++round) {
      if (Descriptor* const thread = scheduler_.injected().pop(); thread != nullptr) return thread;
      if (Descriptor* const thread = steal_round(); thread != nullptr) return thread;
      for (int pause = 0; pause < tunables::kPausesPerRound; ++pause) cpu_pause();
    }
    if (scheduler_.oversubscribed()) scheduler_.yield_core();
  } while (Clock::now() < deadline);
  return nullptr;
}

/// Visits every other worker once, beginning with a random one.
Descriptor* Worker::steal_round() noexcept {
  const std::size_t workers = scheduler_.worker_count();
  std::size_t victim = random() % workers;
  for (std::size_t visited = 0; visited < workers; ++visited) {
    Worker& other = scheduler_.worker(victim);
    victim = victim + 1 == workers ? 0 : victim + 1;
    if (&other == this) continue;
    if (Descriptor* const thread = other.give_to_thief(); thread != nullptr) {
      steals_.increment();
      return thread;
    }
    failed_steals_.increment();
  }
  return nullptr;
}

/// Marsaglia's xorshift32; good enough to spread thieves.
std::uint32_t Worker::random() noexcept {
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 17;
  random_state_ ^= random_state_ << 5;
  return random_state_;
}

}  // namespace kumiko::runtime::detail
