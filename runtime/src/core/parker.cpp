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

void ParkerHardware::sleep_while(std::atomic<Number>& word, Number value) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

bool ParkerHardware::sleep_while_until(std::atomic<Number>& word, Number value,
                                       Deadline deadline) noexcept {
  // The kernel's monotonic clock is the steady clock.
  const auto since_boot = std::max(deadline.time_since_epoch(), Deadline::duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
  timespec time{};
  time.tv_sec = seconds.count();
  time.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
  const long result =
      syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, &time, nullptr, ~0U);
  return result == 0 || errno != ETIMEDOUT;
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
