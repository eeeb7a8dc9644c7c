// One OS thread that runs lightweight threads: switches, steals, polls, sleeps.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <kumiko/runtime/detail/current.hpp>
#include <kumiko/runtime/detail/parker.hpp>
#include <kumiko/runtime/policy/waiting.hpp>
#include <kumiko/runtime/statistics.hpp>

#include "core/deque.hpp"
#include "core/idle.hpp"
#include "core/join_state.hpp"
#include "core/observer.hpp"
#include "core/own_counter.hpp"
#include "core/random.hpp"
#include "core/thread_queue.hpp"
#include "machine/topology.hpp"
#include "record/descriptor.hpp"
#include "record/stack_pool.hpp"
#include "stack/fiber.hpp"
#include "stack/thread_pointer.hpp"
#include "time/timer_heap.hpp"

namespace kumiko::runtime::detail {

class Scheduler;
class Waiter;

/// One OS thread's share of a scheduler: its deque and caches, and the loop that finds work.
///
/// Who runs: either the loop, on the OS thread's own stack (current() is nullptr), or a lightweight
/// thread, current(). Threads switch to each other directly; they go through the loop when the
/// deque is empty. Functions marked *self* are for the code that runs on this worker only.
class Worker : public WorkerFront {
 public:
  Worker(Scheduler& scheduler, int index);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Names the eventfd that wakes it while it watches the pollers. To be called before it watches.
  void set_bell(int bell) noexcept { sleeper_.set_bell(bell); }

  /// Self: the loop. Returns when the scheduler has been stopped and no thread is left.
  void run_loop() noexcept;

  /// Self: suspends current() and continues the young end of the deque, or the loop. `after` runs
  /// when the stack has been left. Returns when the thread is continued, maybe on another worker.
  static void suspend(After after) noexcept;

  /// Self: the bookkeeping of a switch from current() to `next` (nullptr: the loop).
  void become(Descriptor* next) noexcept {
    if (Descriptor* const self = current(); self != nullptr) {
      self->exception_state = *exception_state_;
      self->saved_errno = *errno_;
    }
    begin_running(next);
  }

  /// Self: the bookkeeping of a switch to `next` where that begins, by a spawn: without exceptions,
  /// and with the errno of its creator.
  void become_new(Descriptor& next) noexcept {
    Descriptor& self = *current();
    self.exception_state = *exception_state_;
    self.saved_errno = *errno_;
    if (self.exception_state != ExceptionState{}) [[unlikely]]
      *exception_state_ = {};
    if (observer_ != nullptr) [[unlikely]]
      observer_->switched(&self, &next, false);
    running = &next;
    switch_thread_pointer(&next);
  }

  /// Self: the second half of become(), where current() has ended.
  void begin_running(Descriptor* next, bool previous_ended = false) noexcept {
    if (observer_ != nullptr) [[unlikely]]
      observer_->switched(current(), next, previous_ended);
    running = next;
    switch_thread_pointer(next);
    if (next == nullptr) return;
    *exception_state_ = next->exception_state;
    *errno_ = next->saved_errno;
  }

  /// Self: current() goes on with the OS thread's own thread-local storage, so that its block may
  /// be another thread's before it has ended.
  void leave_thread_pointer() noexcept {
    if constexpr (kThreadPointers) {
      current()->thread_pointer = nullptr;
      switch_thread_pointer(nullptr);
    }
  }

  /// Self: makes work public if somebody asks for it in the poll word.
  void answer_share_request() noexcept;

  /// Self: does all that others ask for in the poll word. May suspend current().
  static void answer_requests() noexcept;

  /// Self: where to go when current() suspends: the young end of the deque, or the loop.
  Descriptor* next_after_suspension() noexcept;

  /// Self: makes a suspended thread of this scheduler the next choice of this worker.
  void make_runnable(Descriptor& thread) noexcept {
    // relaxed: hints, and a bit that does not change.
    if (requests.load(std::memory_order_relaxed) != 0 || !deque_.push(&thread)) [[unlikely]]
      return make_runnable_slowly(thread);
    idle_.work_appeared();
  }

  /// Self: shows a suspended or new thread to `other` first, and wakes it if it sleeps. Returns
  /// whether it slept.
  bool make_runnable_at(Worker& other, Descriptor& thread) noexcept;

  /// Self: makes a suspended or new thread wait its turn behind those that yielded before.
  void make_runnable_last(Descriptor& thread) noexcept;

  /// Does make_runnable_last() or make_runnable() as an After, for a Descriptor* on whichever
  /// worker this is.
  static void make_caller_runnable_last(void* thread) noexcept;
  static void make_caller_runnable(void* thread) noexcept;

  /// Self: lets a suspended thread whose event has come go before others, for a while.
  void make_event_ready(Descriptor& thread) noexcept;

  /// Self: a poller has gathered something in this worker's instance, to be handed over.
  void note_unsubmitted() noexcept { has_unsubmitted_ = true; }

  /// Anyone else: takes a public thread from the old end of the deque, or one that waits its turn
  /// in the queue. If there is none, asks for one.
  Descriptor* give_to_thief() noexcept;

  /// Anyone else: takes a thread from the old end of the deque, public or not. Cost: a system call,
  /// if there is any.
  Descriptor* give_by_force() noexcept { return deque_.seize(); }

  /// Anyone: whether there may be something for a thief. Exact behind a barrier shared with the
  /// producer (see Idle).
  bool has_visible_work() const noexcept {
    return !deque_.empty() || !queue_.empty() || !event_ready_.empty();
  }

  Descriptor* current() const noexcept { return static_cast<Descriptor*>(running); }
  Scheduler& scheduler() const noexcept { return scheduler_; }
  int index() const noexcept { return index_; }
  StackCache& stacks() noexcept { return stacks_; }
  JoinStateCache& join_states() noexcept { return join_states_; }
  Deque<Descriptor>& deque() noexcept { return deque_; }
  TimerHeap& timers() noexcept { return timers_; }

  Fiber& loop() noexcept { return loop_; }

  /// Names who is told what this worker does, or nullptr. Only while the worker sleeps or is yet to
  /// start, or by itself.
  void set_observer(Observer* observer) noexcept { observer_ = observer; }

  OwnCounter& spawned() noexcept { return spawned_; }
  OwnCounter& executed() noexcept { return executed_; }
  OwnCounter& polls() noexcept { return polls_; }
  WorkerStatistics statistics() const noexcept;
  std::uint64_t steals() const noexcept { return steals_.read(); }

  /// Anyone: about how many threads can go on here. Cost: four loads.
  std::size_t ready() const noexcept { return deque_.size() + queue_.size() + event_ready_.size(); }

 private:
  /// Switches to the thread pointer of `next`, or to the OS thread's if `next` has none. Does
  /// nothing in builds without thread pointers.
  void switch_thread_pointer(const Descriptor* next) noexcept {
    if constexpr (kThreadPointers) {
      const bool has_own = next != nullptr && next->thread_pointer != nullptr;
      activate_thread_pointer(has_own ? next->thread_pointer : os_thread_pointer_, this);
    }
  }

  void run_from_loop(Descriptor& thread) noexcept;
  bool split_lazy_work() noexcept;

  Descriptor* next_for_loop() noexcept;
  Descriptor* take_local() noexcept;
  Descriptor* take_event_ready() noexcept;
  Descriptor* poll_own_instances() noexcept;
  void hand_over() noexcept;
  void leave_polling_to_others() noexcept;
  Descriptor* poll_all_instances() noexcept;
  template <class Poll>
  void count_poll(Poll poll) noexcept;
  void let_events_go_first() noexcept;
  Descriptor* search() noexcept;
  void sleep() noexcept;
  bool begin_watch() noexcept;
  void watch() noexcept;
  void give_core_away() noexcept;
  Descriptor* search_for_a_while() noexcept;
  template <policy::Waiting Waiting>
  Descriptor* search_by(const Waiting& waiting) noexcept;
  Descriptor* steal_round(Descriptor* (Worker::*give)() noexcept) noexcept;
  Descriptor* steal_from(Worker& victim, Descriptor* (Worker::*give)() noexcept) noexcept;
  void make_runnable_slowly(Descriptor& thread) noexcept;
  void make_runnable_anywhere(Descriptor& thread) noexcept;
  void hesitate_in_chaos() noexcept;

  Scheduler& scheduler_;
  Idle& idle_;  ///< the scheduler's
  const int index_;
  Observer* observer_ = nullptr;
  ExceptionState* exception_state_ = nullptr;  ///< the OS thread's
  int* errno_ = nullptr;                       ///< the OS thread's
  void* os_thread_pointer_ = nullptr;
  unsigned turns_ = 0;
  std::uint64_t given_away_nanoseconds_ = 0;
  unsigned event_streak_ = 0;  ///< threads whose event has come that have run in a row
  bool has_unsubmitted_ = false;
  bool watches_ = false;
  bool outside_first_ = false;  ///< in the next turn
  Random random_;               ///< whom to visit
  Random chaos_;                ///< what Options::chaos_seed replays
  static_assert(std::atomic<Topology::Place>::is_always_lock_free);
  std::atomic<Topology::Place> place_{};  ///< where it last began to search

  Deque<Descriptor> deque_;
  ThreadQueue queue_;        ///< threads that yielded, and new ones that lazy splitting made
  ThreadQueue event_ready_;  ///< threads whose event has come
  TimerHeap timers_;
  StackCache stacks_;
  JoinStateCache join_states_;
  Fiber loop_;
  Parker sleeper_;

  OwnCounter spawned_;
  OwnCounter executed_;
  OwnCounter steals_;
  OwnCounter failed_steals_;
  OwnCounter parks_;
  OwnCounter parked_nanoseconds_;
  OwnCounter suspensions_;
  OwnCounter polls_;
  OwnCounter empty_polls_;
  OwnCounter polling_nanoseconds_;  ///< in empty polls
  OwnCounter searching_nanoseconds_;
};

/// What a thread's stack begins with, see start_fiber; `descriptor` is a Descriptor*.
KUMIKO_SWITCHES_STACKS void* thread_main(void* descriptor);

/// The worker that the calling OS thread is, or nullptr. To be asked anew after every switch.
inline Worker* current_worker() noexcept { return static_cast<Worker*>(worker_front()); }

}  // namespace kumiko::runtime::detail
