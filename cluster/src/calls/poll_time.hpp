// The time of one poll.
#pragma once

#include <chrono>
#include <optional>

namespace kumiko::cluster::detail {

/// The time at which a poll happens. It reads the clock when it is first called and at no other
/// time, because most polls need no time and reading it costs as much as the rest of an idle poll.
class PollTime {
 public:
  using Clock = std::chrono::steady_clock;

  Clock::time_point operator()() {
    if (!time_) time_ = Clock::now();
    return *time_;
  }

 private:
  std::optional<Clock::time_point> time_;
};

}  // namespace kumiko::cluster::detail
