// Wakes a sleeping worker: for MessageSource::pollable().
#pragma once

#include <atomic>
#include <chrono>

namespace kumiko::runtime {

/// A descriptor that becomes readable when another one does, when somebody rings, or at a time.
class Bell {
 public:
  using Clock = std::chrono::steady_clock;  ///< of ring_at() and silence()

  /// \param other  the other descriptor, -1 for none
  /// \throws std::system_error if the system refuses a descriptor
  explicit Bell(int other);
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell();

  /// For poll() and epoll: readable once the other one is, or once it rang.
  int descriptor() const noexcept { return all_; }

  /// Makes it readable; for any thread. Cost: a system call.
  void ring() noexcept;

  /// Makes it readable at this time, unless it will be at an earlier one. For the poller.
  void ring_at(Clock::time_point time) noexcept;

  /// Makes it unreadable again, whatever has rung until now. Returns whether somebody has rung,
  /// other than the time. For the poller. Cost without a ring: a load or two.
  bool silence(Clock::time_point now) noexcept;

  /// As silence(), but leaves the time's ring: for a poller next to a worker that may sleep by this
  /// descriptor, would find it silent, and would never be woken.
  bool silence_rings() noexcept;

 private:
  void close_all() noexcept;

  int all_ = -1;
  int rung_ = -1;
  int timer_ = -1;
  std::atomic<bool> is_rung_{false};
  Clock::time_point time_ = Clock::time_point::max();  ///< of the timer
};

}  // namespace kumiko::runtime
