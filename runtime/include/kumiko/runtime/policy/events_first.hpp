// Choice policy: first threads whose event has arrived, then each source in its turn.
#pragma once

#include <kumiko/runtime/policy/choosing.hpp>

namespace kumiko::runtime::policy {

/// Threads whose event has arrived run first, a bounded number in a row, so that I/O does not wait
/// for computing threads. After them the threads from outside and the queue are tried in turn, and
/// then the deque. A thread that polls and yields comes back to the loop immediately, so every
/// source must be first at some time.
class EventsFirst {
 public:
  /// How many threads whose event has arrived run in a row before another thread has its turn.
  static constexpr unsigned kEventStreak = 64;

  /// At every turn of this number the other workers are tried first, so that a thread that polls
  /// and yields cannot keep its worker from threads that wait elsewhere. The number is large,
  /// because a thread that is stolen from the worker where it was sent leaves its data behind.
  static constexpr unsigned kTurnsPerSteal = 64;

  /// At every turn of this number it also takes threads that their worker has not made public after
  /// an earlier request.
  static constexpr unsigned kTurnsPerForce = 256;
  static_assert(kTurnsPerForce % kTurnsPerSteal == 0, "one of the turns on which it steals");

  /// See Choosing. A template, so that the worker's own loop can inline it.
  template <class AnyTake>
  bool next(bool outside_first, const AnyTake& take) {
    if (streak_ < kEventStreak) {
      ++streak_;
      if (take(Source::kEvents)) return true;
    }
    streak_ = 0;
    ++turns_;
    if (turns_ % kTurnsPerSteal == 0) {
      const bool by_force = turns_ % kTurnsPerForce == 0;
      if (take(by_force ? Source::kOthersByForce : Source::kOthers)) return true;
    }
    const bool outside = outside_first || turns_ % 2 == 0;
    return take(outside ? Source::kOutside : Source::kQueue) ||
           take(outside ? Source::kQueue : Source::kOutside) || take(Source::kDeque);
  }

 private:
  unsigned turns_ = 0;   ///< turns in which no event was taken
  unsigned streak_ = 0;  ///< threads whose event has arrived that have run in a row
};
static_assert(Choosing<EventsFirst>);

}  // namespace kumiko::runtime::policy
