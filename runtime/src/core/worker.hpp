// One OS thread that runs lightweight threads: its parts, and what others may ask of it.
#pragma once

#include <atomic>
#include <memory>

#include <kumiko/runtime/policy/choosing.hpp>
#include <kumiko/runtime/policy/events_first.hpp>
#include <kumiko/runtime/statistics.hpp>

#include "core/diversion.hpp"
#include "core/idle.hpp"
#include "core/idling.hpp"
#include "core/join_state.hpp"
#include "core/own_counter.hpp"
#include "core/polling.hpp"
#include "core/ready_threads.hpp"
#include "core/streak.hpp"
#include "core/switcher.hpp"
#include "core/thief.hpp"
#include "record/stack_pool.hpp"
#include "time/timer_heap.hpp"

namespace kumiko::runtime::detail {

class Scheduler;

/// One OS thread's share of a scheduler: its ready threads and caches, and the loop that goes from
/// one thread to the next. Threads switch to each other directly; they go through the loop when the
/// deque is empty. Functions marked *self* are for the code that runs on this worker only.
class Worker : public Switcher {
 public:
  /// \param diversion  what disturbs it, nullptr for nothing
  Worker(Scheduler& scheduler, int index, std::unique_ptr<Diversion> diversion);

  /// Self: the loop. Returns when the scheduler has been stopped and no thread is left.
  void run_loop() noexcept;

  /// Self: suspends current() and continues the young end of the deque, or the loop. `after` runs
  /// when the stack has been left. Returns when the thread is continued, maybe on another worker.
  static void suspend(After after) noexcept;

  /// Self: does all that others ask for in the poll word. May suspend current().
  static void answer_requests() noexcept;

  /// Self: makes a suspended thread of this scheduler the next choice of this worker.
  void make_runnable(Descriptor& thread) noexcept {
    // relaxed: hints, and a bit that does not change.
    if (requests.load(std::memory_order_relaxed) != 0 || !ready_.deque.push(&thread)) [[unlikely]]
      return make_runnable_slowly(thread);
    idle_.work_appeared();
  }

  /// Self: shows a thread to `other` first, and wakes it if it sleeps. Returns whether it slept.
  bool make_runnable_at(Worker& other, Descriptor& thread) noexcept;

  /// Self: makes a suspended or new thread wait its turn behind those that yielded before.
  void make_runnable_last(Descriptor& thread) noexcept;

  /// Does make_runnable_last() as an After, for a Descriptor* on whichever worker this is.
  static void make_caller_runnable_last(void* thread) noexcept;

  /// Self: lets a suspended thread whose event has come go before others, for a while.
  void make_event_ready(Descriptor& thread) noexcept;

  /// Anyone else: takes a thread that is public. If there is none, asks for one.
  Descriptor* give_to_thief() noexcept;

  /// Anyone else: asks for work, whether or not somebody has, then takes a thread that is public.
  Descriptor* give_to_asker() noexcept;

  /// Anyone else: takes the oldest of the deque, public or not. Cost: a system call, if any.
  Descriptor* give_by_force() noexcept { return ready_.deque.seize(); }

  Scheduler& scheduler() const noexcept { return scheduler_; }
  int index() const noexcept { return index_; }
  ReadyThreads& ready() noexcept { return ready_; }
  Thief& thief() noexcept { return thief_; }
  Polling& polling() noexcept { return polling_; }
  Idling& idling() noexcept { return idling_; }
  Diversion* diversion() noexcept { return diversion_.get(); }
  StackCache& stacks() noexcept { return stacks_; }
  JoinStateCache& join_states() noexcept { return join_states_; }
  TimerHeap& timers() noexcept { return timers_; }
  OwnCounter& spawned() noexcept { return spawned_; }
  OwnCounter& executed() noexcept { return executed_; }
  WorkerStatistics statistics() const noexcept;

 private:
  void run_from_loop(Descriptor& thread) noexcept;
  void give_way(After after) noexcept;
  Descriptor* next_after_suspension() noexcept;
  Descriptor* next_for_loop() noexcept;
  Descriptor* choose() noexcept;
  Choice choose_by_policy(bool outside_first);
  Descriptor* take_from(policy::Source source) noexcept;
  void answer_share_request() noexcept;
  void divide_for_asker() noexcept;
  void let_events_go_first() noexcept;
  void make_runnable_slowly(Descriptor& thread) noexcept;

  // What a spawn, a join and a switch touch is together, and apart from what others write to.
  Scheduler& scheduler_;
  Idle& idle_;  ///< the scheduler's
  const int index_;
  bool outside_first_ = false;  ///< in the next turn
  ReadyThreads ready_;
  StackCache stacks_;
  JoinStateCache join_states_;
  OwnCounter spawned_;
  OwnCounter executed_;
  OwnCounter suspensions_;
  OwnCounter divisions_;
  policy::EventsFirst events_first_;  ///< goes unless there is a chooser_
  policy::AnyChoosing::Chooser chooser_;
  Streak streak_;  ///< of the queue
  std::unique_ptr<Diversion> diversion_;
  Thief thief_;
  Polling polling_;
  Idling idling_;
  TimerHeap timers_;
};

/// The worker that the calling OS thread is, or nullptr. To be asked anew after every switch.
inline Worker* current_worker() noexcept { return static_cast<Worker*>(worker_front()); }

}  // namespace kumiko::runtime::detail
