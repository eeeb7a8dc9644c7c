// Finds out whether a Runtime has had no work for some time.
#pragma once

#include <chrono>
#include <utility>

namespace kumiko::search::detail {

/// Watches the polls of idle workers, of which a Runtime lets one poll at a time. Only the poller
/// may call its functions.
class IdleWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// An idle worker polls. Returns true if workers have been idle for so long that no worker of
  /// this process has work for them, or if a worker is about to sleep.
  bool is_idle_long(Clock::time_point now) noexcept {
    if (now - std::exchange(last_poll_, now) > kGap) idle_since_ = now;
    return std::exchange(is_sleepy_, false) || now - idle_since_ >= kIdleBefore;
  }

  /// Sets whether a worker is about to sleep.
  void set_sleepy(bool is_sleepy) noexcept { is_sleepy_ = is_sleepy; }
  bool is_sleepy() const noexcept { return is_sleepy_; }

 private:
  /// A worker that finds no work here for this time may get work from another process.
  static constexpr std::chrono::microseconds kIdleBefore{50};
  /// The longest time between two polls while workers are idle.
  static constexpr std::chrono::microseconds kGap{20};

  Clock::time_point idle_since_{};
  Clock::time_point last_poll_{};
  bool is_sleepy_ = false;
};

}  // namespace kumiko::search::detail
