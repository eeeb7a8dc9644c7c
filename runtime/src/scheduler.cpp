#include "scheduler.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <pthread.h>
#include <sched.h>

#include <kumiko/runtime/cpu_budget.hpp>
#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

#include "completion.hpp"

namespace kumiko::runtime::detail {

namespace {

/// A root's closure.
struct Root {
  void (*call)(void*);
  void* callable;
  void operator()() const { call(callable); }
};

}  // namespace

Scheduler::Scheduler(int workers, std::size_t stack_size)
    : stack_source_(*this, stack_size),
      oversubscribed_(workers > available_cores()),
      idle_(static_cast<std::size_t>(workers), barrier_) {
  start_workers(workers);
}

Scheduler::~Scheduler() { stop(); }

void Scheduler::start_workers(int count) {
  for (int index = 0; index < count; ++index) {
    workers_.push_back(std::make_unique<Worker>(*this, index));
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
  while (injecting_.load(std::memory_order_acquire) != 0) yield_core();
}

/// Reads what has ended before what has begun. A begin comes before the matching end, and the begin
/// of a child before the end of its parent, so an end that is counted here brings along the begins
/// that led to it; equal sums mean that no thread lived when the last end was read, and then none
/// can come to life, since nobody may call run_root() any more.
/// Whoever ends the last thread lies down later and asks again, so the end is not missed: of the
/// workers that lie down, the last one sees the counters of all others through Idle's lock.
bool Scheduler::has_ended() const noexcept {
  if (!stopping_.load(std::memory_order_seq_cst)) return false;
  std::uint64_t ended = 0;
  for (const std::unique_ptr<Worker>& worker : workers_) ended += worker->executed().read();
  std::uint64_t begun = roots_.load(std::memory_order_acquire);
  for (const std::unique_ptr<Worker>& worker : workers_) begun += worker->spawned().read();
  return begun == ended;
}

bool Scheduler::has_visible_work() const noexcept {
  if (!injected_.empty()) return true;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->has_visible_work()) return true;
  }
  return false;
}

void Scheduler::yield_core() noexcept { sched_yield(); }

void Scheduler::inject(Descriptor& thread) noexcept {
  // The thread may run, and with it the last reason to keep this scheduler may end, before this
  // function does; stop() waits for that. relaxed: the queue carries the increment along.
  injecting_.fetch_add(1, std::memory_order_relaxed);
  injected_.push(&thread);
  idle_.work_appeared();
  if (!idle_.somebody_idle()) {
    for (const std::unique_ptr<Worker>& worker : workers_) {
      worker->requests.fetch_or(request::kLookOutside, std::memory_order_relaxed);
    }
  }
  // release: pairs with the acquire in stop().
  injecting_.fetch_sub(1, std::memory_order_release);
}

void Scheduler::run_root(void (*call)(void*), void* callable) {
  if (current_worker() != nullptr) {
    throw std::logic_error(
        "Runtime::run called from a lightweight thread; spawn a Thread or use a TaskGroup there");
  }
  Batch<JoinState> join_states = join_states_.take(1);
  Batch<Descriptor> threads;
  try {
    threads = stacks_.take(1);
  } catch (...) {
    join_states_.give(join_states);
    throw;
  }
  JoinState& join_state = *join_states.pop();
  Descriptor& thread = *threads.pop();
  // Two pointers fit on every stack.
  ::new (thread.prepare(sizeof(Root), alignof(Root))) Root{call, callable};
  thread.start_later(&call_and_destroy<Root>);
  thread.group = nullptr;
  thread.join_state = &join_state;
  roots_.fetch_add(1, std::memory_order_release);
  // The caller is the joiner, before the thread begins.
  Waiter waiter({"the end of Runtime::run", &thread});
  join_state.word.store(reinterpret_cast<std::uintptr_t>(&waiter), std::memory_order_relaxed);
  waiter.wait([](void* root) { inject_root(root); }, &thread);
  const std::exception_ptr exception = std::exchange(join_state.exception, nullptr);
  release(join_state);
  if (exception != nullptr) std::rethrow_exception(exception);
}

void Scheduler::inject_root(void* thread) noexcept {
  auto& root = *static_cast<Descriptor*>(thread);
  root.home->inject(root);
}

Statistics Scheduler::statistics() const {
  Statistics statistics;
  statistics.roots = roots_.load(std::memory_order_relaxed);
  for (const std::unique_ptr<Worker>& worker : workers_) {
    statistics.workers.push_back(worker->statistics());
  }
  return statistics;
}

}  // namespace kumiko::runtime::detail
