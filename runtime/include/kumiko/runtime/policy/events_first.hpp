// Which ready thread goes next: those whose event has come, then each source in its turn.
#pragma once

#include <kumiko/runtime/policy/choosing.hpp>

namespace kumiko::runtime::policy {

/// Threads whose event has come go first, a bounded number in a row, so that I/O does not wait for
/// what computes. Then the threads from outside and the queue, in turn, and then the deque: a
/// thread that polls and yields comes back to the loop at once, so every source must be first some
/// time.
class EventsFirst {
 public:
  /// How many threads whose event has come run in a row before another has its turn.
  static constexpr unsigned kEventStreak = 64;

  /// Every so many turns it looks at the other workers first, so that a thread which polls and
  /// yields cannot keep its worker from what waits elsewhere. It is seldom, since a thread that is
  /// taken from where it was sent, by a worker that has threads of its own, leaves its data behind.
  static constexpr unsigned kTurnsPerSteal = 64;

  /// Every so many turns it takes by force what its owner, asked before, has not made public.
  static constexpr unsigned kTurnsPerForce = 256;
  static_assert(kTurnsPerForce % kTurnsPerSteal == 0, "one of the turns on which it steals");

  /// See Choosing. A template so that the worker's own loop has it without a call.
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
  unsigned turns_ = 0;   ///< in which no event was taken
  unsigned streak_ = 0;  ///< threads whose event has come that have run in a row
};
static_assert(Choosing<EventsFirst>);

}  // namespace kumiko::runtime::policy
