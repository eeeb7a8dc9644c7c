// Decides whether this process shares its cores, from what it last knew and what it sees now.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace kumiko::runtime::detail {

/// Whether the cores are shared: from the first look at which the level is 1 or more, until it was
/// low for several looks in a row, so that one quiet moment between others' turns changes nothing.
/// Asked by all workers at once. Every kInterval one of those who ask looks; the others do not wait
/// for it.
class SharedCores {
 public:
  using Clock = std::chrono::steady_clock;

  /// The time between two looks.
  static constexpr std::chrono::milliseconds kInterval{50};
  /// Looks at a low level after which the cores are the process's own again.
  static constexpr int kCalmLooks = 3;
  /// What is low.
  static constexpr double kLow = 0.4;

  /// `level` says how shared the cores have been since it was last asked (CpuPressure::level). It
  /// is called by one thread at a time, and must not throw.
  explicit SharedCores(std::function<double(Clock::time_point)> level) : level_(std::move(level)) {}

  /// Looks if it is time to, and says what is known.
  bool ask(Clock::time_point now);

 private:
  bool decide(double level) noexcept;

  std::function<double(Clock::time_point)> level_;  ///< with calm_, of whoever has set looking_
  int calm_ = 0;
  std::atomic<bool> looking_{false};
  std::atomic<bool> shared_{false};
  std::atomic<Clock::rep> due_{Clock::time_point::min().time_since_epoch().count()};
};

}  // namespace kumiko::runtime::detail
