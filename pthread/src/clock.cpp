#include "clock.hpp"

#include <chrono>

namespace kumiko::pthread {

namespace {

constexpr long kNanoseconds = 1'000'000'000;

/// The longest wait: more would overflow, and nobody waits for it.
constexpr time_t kCentury = time_t{100} * 366 * 86400;

/// The time from now to `time`, by its clock; a century at most.
std::chrono::nanoseconds time_left(clockid_t clock, const timespec& time) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  if (time.tv_sec > now.tv_sec && time.tv_sec - now.tv_sec > kCentury) {
    return std::chrono::seconds(kCentury);
  }
  if (time.tv_sec < now.tv_sec) return std::chrono::nanoseconds(-1);
  return std::chrono::seconds(time.tv_sec - now.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec - now.tv_nsec);
}

}  // namespace

bool is_valid(clockid_t clock, const timespec& time) noexcept {
  return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && time.tv_nsec >= 0 &&
         time.tv_nsec < kNanoseconds;
}

Deadline deadline_of(clockid_t clock, const timespec& time) noexcept {
  return runtime::port::deadline_after(time_left(clock, time));
}

bool has_come(clockid_t clock, const timespec& time) noexcept {
  return time_left(clock, time) <= std::chrono::nanoseconds::zero();
}

}  // namespace kumiko::pthread
