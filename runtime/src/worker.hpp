#pragma once

#include <atomic>
#include <cstdint>

#include <kumiko/runtime/detail/parker.hpp>
#include <kumiko/runtime/statistics.hpp>

#include "deque.hpp"
#include "descriptor.hpp"
#include "fiber.hpp"
#include "idle.hpp"
#include "stack_pool.hpp"
#include "thread_queue.hpp"

namespace kumiko::runtime::detail {

class Scheduler;
class Waiter;

/// A counter that one OS thread writes and any may read.
class OwnCounter {
 public:
  void increment() noexcept {
    // release: pairs with the acquire in read(), so that a count comes after what it counts.
    value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  std::uint64_t read() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// One OS thread's share of a scheduler: its deque and caches, and the loop that finds work.
///
/// Who runs: either the loop, on the OS thread's own stack (current() is nullptr), or a lightweight
/// thread, current(). Threads switch to each other directly; they go through the loop when the
/// deque is empty. Functions marked *self* are for the code that runs on this worker only.
class Worker {
 public:
  Worker(Scheduler& scheduler, int index);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Self: the loop. Returns when the scheduler has been stopped and no thread is left.
  void run_loop() noexcept;

  /// Self: suspends current() and continues the young end of the deque, or the loop. `after` runs
  /// when the stack has been left. Returns when the thread is continued, maybe on another worker.
  static void suspend(After after) noexcept;

  /// Self: suspends current() and starts `child`, which pushes current() once it is off its stack.
  /// Returns when current() is continued, maybe on another worker than this.
  void start_child(Descriptor& child) noexcept;

  /// Self: makes a suspended thread of this scheduler the next choice of this worker.
  void make_runnable(Descriptor& thread) noexcept;

  /// Self: makes the suspended thread wait its turn behind those that yielded before.
  void make_runnable_last(Descriptor& thread) noexcept;

  /// Anyone: takes a thread from the old end of the deque, or one that yielded.
  Descriptor* give_to_thief() noexcept;

  /// Anyone: whether there may be something for a thief. Exact behind a barrier shared with the
  /// producer (see Idle).
  bool has_visible_work() const noexcept { return !deque_.empty() || !yielded_.empty(); }

  Descriptor* current() const noexcept { return current_; }
  Scheduler& scheduler() const noexcept { return scheduler_; }
  int index() const noexcept { return index_; }
  StackCache& stacks() noexcept { return stacks_; }
  DescriptorCache& descriptors() noexcept { return descriptors_; }
  Deque<Descriptor>& deque() noexcept { return deque_; }

  std::uint64_t spawned() const noexcept { return spawned_.read(); }
  std::uint64_t executed() const noexcept { return executed_.read(); }
  WorkerStatistics statistics() const noexcept;

 private:
  static Departure thread_main(void* descriptor);
  static void begin(Descriptor& self) noexcept;
  static void call_closure(Descriptor& self) noexcept;
  static Fiber& end(Descriptor& self) noexcept;
  static void recycle_stack(void* stack) noexcept;
  Descriptor* wake(Waiter& waiter, Descriptor* next) noexcept;

  void become(Descriptor* next) noexcept;
  Descriptor* next_after_suspension() noexcept;
  void run_from_loop(Descriptor& thread) noexcept;

  Descriptor* next_for_loop() noexcept;
  Descriptor* take_local() noexcept;
  Descriptor* search() noexcept;
  Descriptor* search_for_a_while() noexcept;
  Descriptor* steal_round() noexcept;
  std::uint32_t random() noexcept;

  Scheduler& scheduler_;
  const int index_;
  Descriptor* current_ = nullptr;
  ExceptionState* exception_state_ = nullptr;  ///< the OS thread's
  unsigned suspensions_ = 0;
  unsigned turns_ = 0;
  std::uint32_t random_state_;

  Deque<Descriptor> deque_;
  ThreadQueue yielded_;
  StackCache stacks_;
  DescriptorCache descriptors_;
  Fiber loop_;
  Parker sleeper_;

  OwnCounter spawned_;
  OwnCounter executed_;
  OwnCounter steals_;
  OwnCounter failed_steals_;
  OwnCounter parks_;
};

/// The worker that the calling OS thread is, or nullptr. To be asked anew after every switch: it is
/// never inlined, so that no compiler keeps the thread-local variable's address across one.
Worker* current_worker() noexcept;

}  // namespace kumiko::runtime::detail
