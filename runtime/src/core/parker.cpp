#include <algorithm>
#include <cerrno>
#include <chrono>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/parking.hpp"

namespace kumiko::runtime::detail {

static_assert(sizeof(std::atomic<ParkerHardware::Number>) == sizeof(std::uint32_t) &&
                  std::atomic<ParkerHardware::Number>::is_always_lock_free,
              "the kernel reads the word");

namespace {

/// The time on the kernel's monotonic clock, which is the steady clock.
timespec time_of(Deadline deadline) noexcept {
  const auto since_boot = std::max(deadline.time_since_epoch(), Deadline::duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
  timespec time{};
  time.tv_sec = seconds.count();
  time.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
  return time;
}

/// Sleeps while the word holds `value`, until the deadline if there is one. Returns 0, or the
/// kernel's error.
int wait_on_futex(std::atomic<ParkerHardware::Number>& word, ParkerHardware::Number value,
                  const Deadline* deadline) noexcept {
  const timespec time = deadline != nullptr ? time_of(*deadline) : timespec{};
  const timespec* const end = deadline != nullptr ? &time : nullptr;
  const long result =
      syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, end, nullptr, ~0U);
  return result == 0 ? 0 : errno;
}

}  // namespace

void ParkerHardware::sleep_while(std::atomic<Number>& word, Number value) noexcept {
  static_cast<void>(wait_on_futex(word, value, nullptr));
}

bool ParkerHardware::sleep_while_until(std::atomic<Number>& word, Number value,
                                       Deadline deadline) noexcept {
  return wait_on_futex(word, value, &deadline) != ETIMEDOUT;
}

bool ParkerHardware::sleep_while_undisturbed(std::atomic<Number>& word, Number value,
                                             const Deadline* deadline) noexcept {
  const int error = wait_on_futex(word, value, deadline);
  return error != ETIMEDOUT && error != EINTR;
}

void ParkerHardware::wake(std::atomic<Number>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void ParkerHardware::ring(Bell bell) noexcept {
  const std::uint64_t ring = 1;
  static_cast<void>(!write(bell, &ring, sizeof ring));  // fails only if it has rung very often
}

template class BasicParker<ParkerHardware>;

}  // namespace kumiko::runtime::detail
