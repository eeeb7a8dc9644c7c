#include "turns.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <kumiko/runtime/this_thread.hpp>

#include "port/port.hpp"
#include "signals.hpp"
#include "thread_record.hpp"

namespace kumiko::pthread {

thread_local constinit Turns turns{};

namespace {

/// The slice after which a thread gives way, in nanoseconds: some hundred times what a switch
/// costs.
constexpr std::int64_t kSlice = 200'000;

/// Turns between two looks at the clock that took longer than this are slow.
constexpr std::int64_t kLongBetweenLooks = kSlice / 4;

/// The most turns that a thread takes between two looks, in case it becomes slow.
constexpr unsigned kMostBetweenLooks = 32;

std::int64_t nanoseconds_now() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void give_way() noexcept {
  const int saved_errno = errno;
  runtime::this_thread::yield();
  errno = saved_errno;
  turns.taken = 0;
  turns.next_look = turns.between_looks;
  turns.slice_begin = turns.last_look = nanoseconds_now();
}

}  // namespace

void look_at_turns() {
  if (!runtime::port::is_lightweight()) {
    turns.taken = 0;
    turns.next_look = kTurnsPerYield;
    return;
  }
  if (ThreadRecord::running()->signals_to_take() != 0) take_signals();
  const std::int64_t now = nanoseconds_now();
  if (turns.slice_begin == 0) turns.slice_begin = turns.last_look = now;
  const bool slow = now - turns.last_look > kLongBetweenLooks;
  turns.between_looks = slow ? 1 : std::min(2 * turns.between_looks, kMostBetweenLooks);
  turns.last_look = now;
  if (turns.taken >= kTurnsPerYield || now - turns.slice_begin >= kSlice) return give_way();
  turns.next_look = std::min(turns.taken + turns.between_looks, kTurnsPerYield);
}

}  // namespace kumiko::pthread
