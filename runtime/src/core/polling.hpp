// When a worker polls: what it hands over, and what others do in its place.
#pragma once

#include <chrono>

#include "core/own_counter.hpp"

namespace kumiko::runtime::detail {

struct Descriptor;
class Worker;

/// One worker's part in the polling (see Pollers). All functions are for this worker.
class Polling {
 public:
  using Clock = std::chrono::steady_clock;

  /// Belongs to this worker, which outlives it.
  explicit Polling(Worker& self) noexcept : self_(self) {}

  /// A poller has gathered something in this worker's instance, to be handed over.
  void note_unsubmitted() noexcept { has_unsubmitted_ = true; }
  bool has_unsubmitted() const noexcept { return has_unsubmitted_; }

  /// Hands over what the threads have asked for. What is done by then becomes ready, too. `idle`:
  /// this worker has no thread to run.
  void hand_over(bool idle = false) noexcept;

  /// The same, and takes a thread whose event has come.
  Descriptor* hand_over_and_take() noexcept;

  /// Polls all instances, for a worker that has nothing else to do, and takes a thread. `now` is
  /// the time that its latest round of looking for threads began at; becomes the time after the
  /// poll, or one before it if that has found something.
  Descriptor* poll_all_and_take(Clock::time_point& now) noexcept;

  /// A thread runs next that may take long: sees to it that somebody looks after what is left to
  /// hand over.
  void leave_to_others() noexcept;

  const OwnCounter& polls() const noexcept { return polls_; }
  const OwnCounter& empty_polls() const noexcept { return empty_polls_; }

  /// In empty polls of a worker that had nothing else to do.
  const OwnCounter& nanoseconds() const noexcept { return nanoseconds_; }

 private:
  Descriptor* take_own() noexcept;

  bool count(int events) noexcept;

  Worker& self_;
  bool has_unsubmitted_ = false;
  int passed_by_ = 0;  ///< see Pollers::poll_all()
  OwnCounter polls_;
  OwnCounter empty_polls_;
  OwnCounter nanoseconds_;
};

}  // namespace kumiko::runtime::detail
