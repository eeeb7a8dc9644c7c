// syscall(SYS_futex, ...): what std::future, std::atomic::wait(), std::latch and the standard
// libraries of other languages wait with. Lightweight threads wait in the parking lot instead.
#include <atomic>
#include <cerrno>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "clock.hpp"
#include "interpose.hpp"
#include "parking_lot.hpp"
#include "real.hpp"
#include "thread_record.hpp"

/// The system call itself, as the C library's function of that name makes it.

namespace kumiko::pthread {

namespace {

struct FutexCall {
  std::atomic<std::uint32_t>& word;
  int operation;
  std::uint32_t value;
  const timespec* time;  ///< or a number
  std::uint32_t* word2;
  std::uint32_t value3;

  int command() const noexcept { return operation & FUTEX_CMD_MASK; }

  long forward(std::uint32_t other_value) const noexcept {
    return kumiko_system_call(SYS_futex, &word, operation, other_value, time, word2, value3);
  }
};

/// FUTEX_WAIT by a lightweight thread.
long wait(const FutexCall& call) {
  const auto same = [&call] { return call.word.load(std::memory_order_relaxed) == call.value; };
  const auto wait_until = [&same, &call](const Deadline* deadline) {
    // As the kernel has it.
    const Handled handled = deadline != nullptr ? Handled::kEnds : Handled::kEndsUnlessRestart;
    switch (park(&call.word, same, {"a futex", deadline, Interrupts::kSignals, handled})) {
      case ParkResult::kWoken:
        return 0;
      case ParkResult::kTimedOut:
        return ETIMEDOUT;
      case ParkResult::kSignalled:
        return EINTR;
      default:
        return EAGAIN;
    }
  };
  int error = 0;
  if (call.time == nullptr) {
    error = wait_until(nullptr);
  } else if (call.command() == FUTEX_WAIT) {
    // A span, not a point in time.
    const Deadline deadline = runtime::port::deadline_after(
        std::chrono::seconds(call.time->tv_sec) + std::chrono::nanoseconds(call.time->tv_nsec));
    error = wait_until(&deadline);
  } else {
    const bool real_time = (call.operation & FUTEX_CLOCK_REALTIME) != 0;
    error = wait_by_clock(real_time ? CLOCK_REALTIME : CLOCK_MONOTONIC, *call.time,
                          [&wait_until](const Deadline& d) { return wait_until(&d); });
  }
  return returned<long>(-error);
}

/// Wakes those in the parking lot first, then those in the kernel, where OS threads wait.
long wake(const FutexCall& call) noexcept {
  // With a mask we do not know whom it means: all look at their word again.
  const bool any = call.command() == FUTEX_WAKE || call.value3 == FUTEX_BITSET_MATCH_ANY;
  const std::uint32_t woken = unpark(&call.word, any ? call.value : kAll);
  if (any && woken >= call.value) return woken;
  const long others = call.forward(any ? call.value - woken : call.value);
  return others < 0 ? others : others + woken;
}

}  // namespace

extern "C" [[gnu::visibility("hidden")]] long kumiko_futex(std::uint32_t* word, int operation,
                                                           std::uint32_t value,
                                                           const timespec* time,
                                                           std::uint32_t* word2,
                                                           std::uint32_t value3) {
  const FutexCall call{
      *reinterpret_cast<std::atomic<std::uint32_t>*>(word), operation, value, time, word2, value3};
  switch (call.command()) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return ThreadRecord::running() != nullptr ? wait(call) : call.forward(value);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return wake(call);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      unpark(word, kAll);
      return call.forward(value);
    case FUTEX_WAKE_OP:
      unpark(word, kAll);
      unpark(word2, kAll);
      return call.forward(value);
    default:
      return call.forward(value);
  }
}

}  // namespace kumiko::pthread
