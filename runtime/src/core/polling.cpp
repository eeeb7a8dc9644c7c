#include "core/polling.hpp"

#include <chrono>
#include <cstddef>

#include "core/pollers.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime::detail {

void Polling::hand_over() noexcept {
  Pollers* const pollers = self_.scheduler().pollers();
  if (pollers == nullptr) return;
  const auto instance = static_cast<std::size_t>(self_.index());
  count([&] { return pollers->poll(instance); });
  has_unsubmitted_ = pollers->has_unsubmitted(instance);
}

Descriptor* Polling::hand_over_and_take() noexcept {
  hand_over();
  return take_own();
}

Descriptor* Polling::poll_all_and_take() noexcept {
  Pollers* const pollers = self_.scheduler().pollers();
  if (pollers == nullptr) return nullptr;
  if (has_unsubmitted_) {
    if (Descriptor* const thread = hand_over_and_take(); thread != nullptr) return thread;
  }
  count([&] { return pollers->poll_all(static_cast<std::size_t>(self_.index()), passed_by_); });
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

template <class Poll>
void Polling::count(Poll poll) noexcept {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const bool empty = poll() == 0;
  polls_.increment();
  if (!empty) return;
  empty_polls_.increment();
  const std::chrono::nanoseconds taken = Clock::now() - begin;
  nanoseconds_.increment(static_cast<std::uint64_t>(taken.count()));
}

}  // namespace kumiko::runtime::detail
