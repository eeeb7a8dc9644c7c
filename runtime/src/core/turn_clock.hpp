// Measures the turns of aggregation groups on one worker, for who wants to know what they take.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/aggregation.hpp"
#include "machine/ticks.hpp"
#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

/// Counts, in an Aggregation that is timed, its threads' turns on one worker and their time, from
/// where the loop takes a thread to where it looks for the next. What other threads do in between,
/// where one waits or wakes another, counts with it.
class TurnClock {
 public:
  /// A thread of this group has had the worker.
  void end_turn(const Aggregation& group, std::size_t worker) noexcept {
    if (began_ == 0) return;
    Aggregation::Place& place = group.place(worker);
    place.turns.increment();
    place.ticks.increment(read_ticks() - began_);
  }

  /// This thread has it next; nullptr: none.
  void begin_turn(const Descriptor* thread) noexcept {
    // relaxed: see Aggregation.
    const bool timed = thread != nullptr && thread->aggregation != nullptr &&
                       thread->aggregation->timed.load(std::memory_order_relaxed);
    began_ = timed ? read_ticks() : 0;
  }

 private:
  std::uint64_t began_ = 0;  ///< 0: not measured
};

}  // namespace kumiko::runtime::detail
