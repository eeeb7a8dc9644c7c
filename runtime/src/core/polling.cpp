#include "core/polling.hpp"

#include <cstddef>

#include "core/pollers.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime::detail {

void Polling::hand_over(bool idle) noexcept {
  Pollers* const pollers = self_.scheduler().pollers();
  if (pollers == nullptr) return;
  const auto instance = static_cast<std::size_t>(self_.index());
  count(pollers->poll(instance, idle));
  has_unsubmitted_ = pollers->has_unsubmitted(instance);
}

Descriptor* Polling::hand_over_and_take() noexcept {
  // A thread that is ready here could ask for more, which would go together with what is there.
  hand_over(self_.ready().empty());
  return take_own();
}

Descriptor* Polling::poll_all_and_take(Clock::time_point& now) noexcept {
  Pollers* const pollers = self_.scheduler().pollers();
  if (pollers == nullptr) {
    now = Clock::now();
    return nullptr;
  }
  if (has_unsubmitted_) {
    if (Descriptor* const thread = hand_over_and_take(); thread != nullptr) return thread;
  }
  // Where there is a source, nearly all of a round is its poll, and a look at the clock takes long.
  if (!pollers->has_shared()) now = Clock::now();
  if (!count(pollers->poll_all(static_cast<std::size_t>(self_.index()), passed_by_))) {
    const std::chrono::nanoseconds taken = Clock::now() - now;
    nanoseconds_.increment(static_cast<std::uint64_t>(taken.count()));
    now += taken;
  }
  return take_own();
}

/// A thread whose event has come, or one that a source has woken as threads wake each other.
Descriptor* Polling::take_own() noexcept {
  ReadyThreads& ready = self_.ready();
  Descriptor* const thread = ready.events.pop();
  return thread != nullptr ? thread : ready.deque.pop();
}

/// What is left is what a poll has begun anew, or what has been gathered. That is the timer's
/// concern (Watch::needs_timer()), who may rest.
void Polling::leave_to_others() noexcept { self_.scheduler().pollers()->leave_to_timer(); }

/// Counts a poll that has found so many events. Returns whether there were any.
bool Polling::count(int events) noexcept {
  polls_.increment();
  if (events == 0) empty_polls_.increment();
  return events != 0;
}

}  // namespace kumiko::runtime::detail
