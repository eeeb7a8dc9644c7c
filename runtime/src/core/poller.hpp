// What brings threads back whose event comes from outside the workers: input, output, other
// processes.
#pragma once

#include <cstddef>

namespace kumiko::runtime::detail {

/// A source of events from outside, with one *instance* per worker, by index. What a thread asks
/// for is gathered in the instance of its worker, and handed to the system by that worker's next
/// poll. Each instance may be polled by any OS thread, one at a time; who polls makes the threads
/// ready whose event has come (Worker::make_event_ready(), or Waiter::wake()). All functions may be
/// called by any OS thread; none suspends or throws.
class EventSource {
 public:
  virtual ~EventSource() = default;

  /// Hands over what the instance has gathered, and takes at most `budget` events, so that a worker
  /// comes back to its other threads. Returns how many there were; 0 also if another OS thread
  /// polls the instance now.
  virtual int poll(std::size_t instance, std::size_t budget) noexcept = 0;

  /// Whether something is left to hand over that the system does not know of yet.
  virtual bool has_unsubmitted(std::size_t instance) const noexcept = 0;

  /// A descriptor that poll(2) finds readable when poll(instance) has something to complete: by it
  /// a sleeping worker is woken.
  virtual int pollable(std::size_t instance) const noexcept = 0;
};

/// One that threads of a Scheduler wait for. Several may be attached to it (Pollers), one of each
/// class.
///
/// A poller whose thread begins to wait calls Pollers::wait_begun() after it has counted the wait,
/// and Worker::note_unsubmitted() where something is left to hand over.
class Poller : public EventSource {
 public:
  /// How many threads wait for an event of this poller. Whether there is any is exact behind a
  /// barrier shared with the thread that begins to wait (see Idle).
  virtual std::size_t waits() const noexcept = 0;

  /// Whether there is one instance for all workers. Its number in the calls is any worker's then;
  /// it is polled on the stacks of OS threads only.
  virtual bool is_shared() const noexcept { return false; }

  /// Polls a shared one for a worker that has nothing to run, in each round of its search.
  virtual int poll_idle() noexcept { return 0; }

  /// Whether the watcher is to get up for a shared one, asked before each of its sleeps. Makes no
  /// thread ready.
  virtual bool has_news() noexcept { return true; }
};

}  // namespace kumiko::runtime::detail
