// The pauses of a process between asks that are in vain.
#pragma once

#include <chrono>

namespace kumiko::search::detail {

/// The pause after a refusal doubles with each refusal in a row, from 20 us up to 20 ms. Later, a
/// pause is 1/8 of the time for which all asks were in vain, up to a second, so that the pauses
/// lengthen that time by 1/8 at most. Not for several threads at once.
class AskPace {
 public:
  using Clock = std::chrono::steady_clock;

  /// A part was found.
  void begin_again() noexcept { refusals_ = 0; }
  /// Sets whether there is a process that can be asked.
  void set_alone(bool is_alone) noexcept { is_alone_ = is_alone; }

  /// Counts a refusal, and returns the pause after it.
  std::chrono::nanoseconds next_pause(Clock::time_point now) noexcept;
  /// Returns whether the pause after one more refusal is longer than 20 ms.
  bool is_about_to_rest(Clock::time_point now) const noexcept;

  /// The number of refusals in a row.
  unsigned refusals() const noexcept { return refusals_; }

 private:
  unsigned refusals_ = 0;
  Clock::time_point refused_since_{};  ///< the first of them
  bool is_alone_ = false;
};

}  // namespace kumiko::search::detail
