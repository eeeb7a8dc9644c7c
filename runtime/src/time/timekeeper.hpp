// An OS thread that ends timed waits when their deadlines have passed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include <kumiko/runtime/detail/deadline.hpp>

namespace kumiko::runtime::detail {

class TimerHeap;
struct Descriptor;

/// Wakes lightweight threads whose deadlines have passed: an OS thread that sleeps until the
/// earliest deadline of all workers' TimerHeaps, so that timed waits end in time while every worker
/// computes or sleeps. It starts with the first timed wait.
///
/// No deadline is missed: target_ is when the keeper next looks at all heaps. Before it looks it
/// sets target_ to the end of time. A thread that has added a deadline to a heap then reads
/// target_; if that is later than its deadline it makes the keeper look again. Suppose the keeper's
/// look at the heap came before the addition: then the heap's lock orders the keeper's setting of
/// target_ before the reading, which therefore yields the end of time, or what the keeper has found
/// later, and either leads to another look if it is too late.
class Timekeeper {
 public:
  /// `make_runnable` is called for each thread whose time has come, by the OS thread.
  explicit Timekeeper(void (*make_runnable)(Descriptor&) noexcept) noexcept
      : make_runnable_(make_runnable) {}

  /// Looks after `heap` too. Before start(). \throws std::bad_alloc
  void add(TimerHeap& heap) { heaps_.push_back(&heap); }

  /// Stops the OS thread. No worker may be running.
  ~Timekeeper();

  /// Starts the OS thread if there is none. Returns whether there is one now.
  bool start() noexcept;

  /// Takes note of a deadline that was added to a heap. Does not suspend. Cost: one load if another
  /// deadline comes before; otherwise the keeper is woken by a system call.
  void watch(Deadline deadline) noexcept;

 private:
  using Ticks = Deadline::rep;

  void keep() noexcept;
  Deadline wake_due_threads() noexcept;

  void (*const make_runnable_)(Descriptor&) noexcept;
  std::vector<TimerHeap*> heaps_;
  std::atomic<Ticks> target_{Deadline::max().time_since_epoch().count()};
  std::atomic<bool> started_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool look_again_ = false;  ///< guarded by mutex_
  bool stopping_ = false;    ///< guarded by mutex_
  std::thread os_thread_;    ///< guarded by mutex_
};

}  // namespace kumiko::runtime::detail
