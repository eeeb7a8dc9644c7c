#pragma once

#include <chrono>

namespace kumiko::runtime::detail {

/// When a timed wait ends at the latest.
using Deadline = std::chrono::steady_clock::time_point;

/// Now plus `duration`, at most the end of time.
template <class Rep, class Period>
Deadline deadline_after(const std::chrono::duration<Rep, Period>& duration) {
  using Seconds = std::chrono::duration<double>;
  const Deadline now = Deadline::clock::now();
  // Compared as floating-point numbers, which do not overflow.
  if (Seconds(duration) >= Seconds(Deadline::max() - now)) return Deadline::max();
  return now + std::chrono::ceil<Deadline::duration>(duration);
}

/// Calls wait(deadline) until it returns true, or `time` has come by its own clock, which may have
/// been set meanwhile. Returns what the last call returned.
template <class Clock, class Duration, class Wait>
bool wait_by_clock(const std::chrono::time_point<Clock, Duration>& time, Wait wait) {
  for (;;) {
    const auto left = time - Clock::now();
    if (wait(deadline_after(left))) return true;
    if (Clock::now() >= time) return false;
  }
}

}  // namespace kumiko::runtime::detail
