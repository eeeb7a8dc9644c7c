// What wakes a worker that sleeps: frames that have come, somebody who rings, or the time.
#pragma once

#include <atomic>
#include <chrono>

namespace kumiko::cluster::detail {

/// A descriptor that is readable when a link's is, when somebody has rung, or at a time.
class Bell {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param other  the descriptor of the link, -1 for none
  /// \throws std::system_error if the system refuses a descriptor
  explicit Bell(int other);
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell();

  int descriptor() const noexcept { return all_; }

  /// Makes it readable; for any thread. Cost: a system call.
  void ring() noexcept;

  /// Makes it readable at this time, unless it will be at an earlier one. For the poller.
  void ring_at(Clock::time_point time) noexcept;

  /// It has been heard: not readable any more by what has rung until now. Returns whether somebody
  /// has, other than the time. For the poller. Cost without a ring: a load or two.
  bool silence(Clock::time_point now) noexcept;

  /// As silence(), but of what the time has rung nothing changes: for a poller beside whom another
  /// one may sleep by it, who would find it silent, sleep on, and not be woken again.
  bool silence_rings() noexcept;

 private:
  void close_all() noexcept;

  int all_ = -1;
  int rung_ = -1;
  int timer_ = -1;
  std::atomic<bool> is_rung_{false};
  Clock::time_point time_ = Clock::time_point::max();  ///< of the timer
};

}  // namespace kumiko::cluster::detail
