// Converts absolute times by any POSIX clock to deadlines of the runtime.
#pragma once

#include <cerrno>

#include <time.h>

#include "parking_lot.hpp"

namespace kumiko::pthread {

/// Whether absolute times by this clock can be waited for, and the time is one.
bool is_valid(clockid_t clock, const timespec& time) noexcept;

/// When `time` will have come by its clock, as it goes now; in the past if it has.
Deadline deadline_of(clockid_t clock, const timespec& time) noexcept;

/// Whether `time` has come, by its own clock, which may have been set.
bool has_come(clockid_t clock, const timespec& time) noexcept;

/// Calls wait(deadline) until it returns something else than ETIMEDOUT, or `time` has come.
template <class Wait>
int wait_by_clock(clockid_t clock, const timespec& time, Wait wait) {
  if (!is_valid(clock, time)) return EINVAL;
  for (;;) {
    const int result = wait(deadline_of(clock, time));
    if (result != ETIMEDOUT || has_come(clock, time)) return result;
  }
}

}  // namespace kumiko::pthread
