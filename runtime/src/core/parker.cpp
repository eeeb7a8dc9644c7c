#include <algorithm>
#include <cerrno>
#include <chrono>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <kumiko/runtime/detail/parker.hpp>

namespace kumiko::runtime::detail {

namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel reads the word");

void futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value) noexcept {
  syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

void Parker::park() noexcept {
  // acquire: pairs with the release in unpark(). The kernel sleeps only if the word is still 0, and
  // compares under its own lock, so a signal between our look and its look is not lost.
  while (signalled_.exchange(0, std::memory_order_acquire) == 0) {
    futex(&signalled_, FUTEX_WAIT_PRIVATE, 0);
  }
}

bool Parker::park_until(Deadline deadline) noexcept {
  const auto since_boot = std::max(deadline.time_since_epoch(), Deadline::duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
  timespec time{};
  time.tv_sec = seconds.count();
  time.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
  // acquire: as in park(). The kernel's monotonic clock is the steady clock.
  while (signalled_.exchange(0, std::memory_order_acquire) == 0) {
    const long result =
        syscall(SYS_futex, &signalled_, FUTEX_WAIT_BITSET_PRIVATE, 0, &time, nullptr, ~0U);
    if (result != 0 && errno == ETIMEDOUT) {
      return signalled_.exchange(0, std::memory_order_acquire) != 0;
    }
  }
  return true;
}

bool Parker::begin_watch() noexcept {
  std::uint32_t expected = 0;
  // release: pairs with the acquire in unpark(), which reads bell_; acquire: as in park().
  if (signalled_.compare_exchange_strong(expected, kWatching, std::memory_order_acq_rel)) {
    return true;
  }
  signalled_.store(0, std::memory_order_relaxed);
  return false;
}

bool Parker::end_watch() noexcept {
  return signalled_.exchange(0, std::memory_order_acquire) == kSignalled;
}

void Parker::unpark() noexcept {
  // release: pairs with the acquire in park() and its fellows.
  if (signalled_.exchange(kSignalled, std::memory_order_acq_rel) != kWatching) {
    futex(&signalled_, FUTEX_WAKE_PRIVATE, 1);
    return;
  }
  const std::uint64_t ring = 1;
  static_cast<void>(!write(bell_, &ring, sizeof ring));  // fails only if it has rung very often
}

}  // namespace kumiko::runtime::detail
