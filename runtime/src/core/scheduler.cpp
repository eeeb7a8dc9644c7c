#include "core/scheduler.hpp"

#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <sched.h>

#include <kumiko/runtime/cpu_budget.hpp>
#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

#include "core/completion.hpp"
#include "diagnosis/fault.hpp"
#include "diagnosis/report.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

/// A root's closure.
struct Root {
  void (*call)(void*);
  void* callable;
  void operator()() const { call(callable); }
};

}  // namespace

Scheduler::Scheduler(const Options& options,
                     const std::function<std::unique_ptr<Diversion>(int)>& divert)
    : options_(options),
      stack_source_(*this, options.stack_size),
      aggregations_(std::make_shared<Aggregations>(static_cast<std::size_t>(options.workers))),
      topology_(Topology::machine()),
      published_groups_(topology_.cache_count() + 1),
      has_distances_(topology_.has_distances()),
      oversubscribed_(options.workers > available_cores()),
      searches_forever_(options.idle.search_time({oversubscribed_, false}) == policy::kForever),
      idle_(static_cast<std::size_t>(options.workers), barrier_) {
  report_stack_overflows();
  start_workers(divert);
}

Scheduler::~Scheduler() { stop(); }

Pollers& Scheduler::started_pollers() {
  if (Pollers* const started = pollers(); started != nullptr) return *started;
  const std::lock_guard lock(pollers_start_);
  if (pollers_owner_ == nullptr) pollers_owner_ = std::make_unique<Pollers>(*this);
  // release: pairs with the acquire in pollers().
  pollers_.store(pollers_owner_.get(), std::memory_order_release);
  return *pollers_owner_;
}

void Scheduler::start_workers(const std::function<std::unique_ptr<Diversion>(int)>& divert) {
  for (int index = 0; index < options_.workers; ++index) {
    auto diversion = divert ? divert(index) : nullptr;
    workers_.push_back(std::make_unique<Worker>(*this, index, std::move(diversion)));
    timekeeper_.add(workers_.back()->timers());
  }
  os_threads_.reserve(workers_.size());
  try {
    for (const std::unique_ptr<Worker>& worker : workers_) {
      os_threads_.emplace_back([&self = *worker] { self.run_loop(); });
      const std::string name = "kumiko-" + std::to_string(worker->index());
      pthread_setname_np(os_threads_.back().native_handle(), name.substr(0, 15).c_str());
    }
  } catch (...) {
    stop();
    throw;
  }
}

void Scheduler::stop() noexcept {
  // seq_cst, before wake_all() looks for sleepers: a worker that lies down later sees it (it takes
  // the same lock to do so, and looks at has_ended() after that).
  stopping_.store(true, std::memory_order_seq_cst);
  idle_.wake_all();
  for (std::thread& thread : os_threads_) thread.join();
  // acquire: pairs with the release in inject(), whose caller touches nothing of ours afterwards.
  while (injecting_.load(std::memory_order_acquire) != 0) sched_yield();
}

/// Whoever ends the last thread lies down later and asks again, so the end is not missed: of the
/// workers that lie down, the last one sees the counters of all others through Idle's lock.
bool Scheduler::has_ended() const noexcept {
  if (!stopping_.load(std::memory_order_seq_cst)) return false;
  return abandoned_.load(std::memory_order_seq_cst) || living_threads() == 0;
}

/// Reads what has ended before what has begun. A begin comes before the matching end, and the begin
/// of a child before the end of its parent, so an end that is counted here brings along the begins
/// that led to it; equal sums mean that no thread lived when the last end was read, and then none
/// can come to life but by run_root().
std::uint64_t Scheduler::living_threads() const noexcept {
  std::uint64_t ended = 0;
  for (const std::unique_ptr<Worker>& worker : workers_) ended += worker->executed().read();
  std::uint64_t begun = roots_.load(std::memory_order_acquire);
  for (const std::unique_ptr<Worker>& worker : workers_) begun += worker->spawned().read();
  return begun - ended;
}

std::size_t Scheduler::pending_deadlines() const noexcept {
  std::size_t pending = 0;
  for (const std::unique_ptr<Worker>& worker : workers_) pending += worker->timers().size();
  return pending;
}

std::optional<Deadline> Scheduler::patience_with_blocked_threads() const noexcept {
  const bool stopping = stopping_.load(std::memory_order_relaxed);
  if (!stopping && (options_.deadlock_report_after.count() == 0 || reported_)) return {};
  if (!idle_.all_asleep() || living_threads() == 0) return {};
  return deadline_after(stopping ? tunables::kShutdownGrace : options_.deadlock_report_after);
}

void Scheduler::report_if_blocked() noexcept {
  const bool stopping = stopping_.load(std::memory_order_relaxed);
  bool blocked = false;
  idle_.while_all_sleep([&] {
    // The caller may have slept through what others did meanwhile; they have a patience of their
    // own. relaxed: each has stored its time before it took Idle's lock to lie down.
    const auto quiet = Deadline::clock::now() - latest_to_lie_down_.load(std::memory_order_relaxed);
    if (quiet < (stopping ? tunables::kShutdownGrace : options_.deadlock_report_after)) return;
    const std::uint64_t living = living_threads();
    const bool waits_for_event = pollers() != nullptr && pollers()->has_waits();
    blocked = living != 0 && !has_visible_work() && pending_deadlines() == 0 && !waits_for_event;
    if (!blocked || (!stopping && reported_.exchange(true))) return;
    report_blocked_threads(
        stack_source_, current_worker()->loop(),
        stopping ? "kumiko: the Runtime ends while threads still wait (" + std::to_string(living) +
                       "); they are abandoned:\n"
                 : "kumiko: no thread can run and no deadline is pending; unless another OS "
                   "thread wakes them, these wait forever (" +
                       std::to_string(living) + "):\n");
  });
  if (blocked && stopping) {
    abandoned_.store(true, std::memory_order_seq_cst);
    idle_.wake_all();
  }
}

bool Scheduler::waits_for_source(const std::string* headline) noexcept {
  Worker* const watcher = current_worker();
  if (watcher == nullptr || &watcher->scheduler() != this || pollers() == nullptr) return false;
  bool waits = false;
  idle_.while_all_sleep([&] {
    waits = living_threads() != 0 && !has_visible_work() && pending_deadlines() == 0 &&
            pollers()->only_a_source_has_waits();
    if (waits && headline != nullptr) {
      report_blocked_threads(stack_source_, watcher->loop(), *headline);
    }
  });
  return waits;
}

bool Scheduler::has_visible_work() const noexcept {
  if (!injected_.empty()) return true;
  // Somebody must watch for the events.
  if (const Pollers* const pollers = this->pollers();
      pollers != nullptr && !pollers->is_watched() && pollers->has_waits()) {
    return true;
  }
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (!worker->ready().empty()) return true;
  }
  return false;
}

void Scheduler::inject(Descriptor& thread) noexcept {
  // The thread may run, and with it the last reason to keep this scheduler may end, before this
  // function does; stop() waits for that. relaxed: the queue carries the increment along.
  injecting_.fetch_add(1, std::memory_order_relaxed);
  injected_.push(&thread);
  // Asked of all, also of those that search now: they may find something else and be busy long.
  // release: pairs with the acquire in Worker::answer_requests(), which takes the bit off before it
  // looks; so whoever takes it off after this sees the thread.
  for (const std::unique_ptr<Worker>& worker : workers_) {
    worker->requests.fetch_or(request::kLookOutside, std::memory_order_release);
  }
  idle_.work_appeared();
  // release: pairs with the acquire in stop().
  injecting_.fetch_sub(1, std::memory_order_release);
}

void Scheduler::run_root(void (*call)(void*), void* callable, SourceLocation where) {
  if (current_worker() != nullptr) {
    throw std::logic_error(
        "Runtime::run called from a lightweight thread; spawn a Thread or use a TaskGroup there");
  }
  Descriptor& thread = reserve_from_outside(where);
  JoinState& join_state = *thread.join_state;
  // Two pointers fit on every stack.
  ::new (thread.prepare(sizeof(Root), alignof(Root))) Root{call, callable};
  thread.start_later(&call_and_destroy<Root>);
  // release: pairs with the acquire in report_blocked_threads().
  thread.alive.store(true, std::memory_order_release);
  roots_.fetch_add(1, std::memory_order_release);
  // The caller is the joiner, before the thread begins.
  Waiter waiter({"the end of Runtime::run", &join_state});
  join_state.word.store(reinterpret_cast<std::uintptr_t>(&waiter), std::memory_order_relaxed);
  waiter.wait([](void* root) { inject_root(root); }, &thread);
  const std::exception_ptr exception = std::exchange(join_state.exception, nullptr);
  release(join_state);
  if (exception != nullptr) std::rethrow_exception(exception);
}

Descriptor& Scheduler::reserve_from_outside(SourceLocation where) {
  try {
    Batch<JoinState> join_states = join_states_.take(1);
    try {
      Descriptor& thread = *stacks_.take(1).pop();
      thread.where = where;
      thread.name[0] = '\0';
      thread.group = nullptr;
      thread.join_state = join_states.first;
      return thread;
    } catch (...) {
      join_states_.give(join_states);
      throw;
    }
  } catch (const std::bad_alloc&) {
    throw std::system_error(ENOMEM, std::generic_category(), "no memory for a lightweight thread");
  }
}

void Scheduler::inject_root(void* thread) noexcept {
  auto& root = *static_cast<Descriptor*>(thread);
  root.home->inject(root);
}

Statistics Scheduler::statistics() const {
  Statistics statistics;
  statistics.roots = roots_.load(std::memory_order_relaxed);
  statistics.stacks = stack_source_.stacks();
  for (const std::unique_ptr<Worker>& worker : workers_) {
    statistics.workers.push_back(worker->statistics());
  }
  return statistics;
}

}  // namespace kumiko::runtime::detail
