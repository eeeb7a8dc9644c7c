// Turns the standard library's time points and durations into deadlines of the steady clock.
#pragma once

#include <chrono>

namespace kumiko::runtime::detail {

/// When a timed wait ends at the latest.
using Deadline = std::chrono::steady_clock::time_point;

/// Times and spans are compared as floating-point numbers first, which do not overflow.
using RoughSeconds = std::chrono::duration<double>;

/// Now plus `duration`, at least now and at most the end of time.
template <class Rep, class Period>
Deadline deadline_after(const std::chrono::duration<Rep, Period>& duration) {
  const Deadline now = Deadline::clock::now();
  if (duration <= duration.zero()) return now;
  if (RoughSeconds(duration) >= RoughSeconds(Deadline::max() - now)) return Deadline::max();
  return now + std::chrono::ceil<Deadline::duration>(duration);
}

/// The time that is left until `time` by its own clock, negative if it has passed; a century at
/// most.
template <class Clock, class Duration>
auto time_left(const std::chrono::time_point<Clock, Duration>& time) {
  constexpr std::chrono::hours kCentury{24 * 36525};
  const auto now = Clock::now();
  using Left = decltype(time - now);
  const RoughSeconds rough =
      RoughSeconds(time.time_since_epoch()) - RoughSeconds(now.time_since_epoch());
  if (rough >= kCentury) return std::chrono::duration_cast<Left>(kCentury);
  if (rough <= -kCentury) return std::chrono::duration_cast<Left>(-kCentury);
  return time - now;
}

/// Calls wait(deadline) until it returns true, or `time` has come by its own clock, which may have
/// been set meanwhile. Returns what the last call returned.
template <class Clock, class Duration, class Wait>
bool wait_by_clock(const std::chrono::time_point<Clock, Duration>& time, Wait wait) {
  for (;;) {
    const auto left = time_left(time);
    if (wait(deadline_after(left))) return true;
    if (time_left(time) <= left.zero()) return false;
  }
}

}  // namespace kumiko::runtime::detail
