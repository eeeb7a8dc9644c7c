// The life of a worker that has found nothing to run: it searches, sleeps, and searches again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <kumiko/runtime/detail/parker.hpp>

#include "core/ask.hpp"
#include "core/own_counter.hpp"

namespace kumiko::runtime::detail {

struct Descriptor;
class Worker;

/// One worker without work. How long it searches, and how politely, is its waiting policy's
/// concern; that no work is overlooked is Idle's, which has the names and the proof.
class Idling {
 public:
  /// Belongs to this worker, which outlives it.
  explicit Idling(Worker& self) noexcept : self_(self) {}

  /// Self: searches and sleeps until there is a thread to run. Returns nullptr when the scheduler
  /// has ended.
  Descriptor* search() noexcept;

  /// Where it sleeps.
  Parker& sleeper() noexcept { return sleeper_; }

  /// Whether it does not sleep; from any thread, a hint.
  bool is_awake() const noexcept { return awake_.load(std::memory_order_relaxed); }

  /// What it asks of busy workers.
  Ask& ask() noexcept { return ask_; }

  const OwnCounter& asks() const noexcept { return asks_; }
  const OwnCounter& parks() const noexcept { return parks_; }
  const OwnCounter& parked_nanoseconds() const noexcept { return parked_nanoseconds_; }
  const OwnCounter& searching_nanoseconds() const noexcept { return searching_nanoseconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  Descriptor* search_and_count() noexcept;
  Descriptor* search_for_a_while(Clock::time_point& now) noexcept;
  Descriptor* look_around() noexcept;
  void sleep_and_count(Clock::time_point begin) noexcept;
  void sleep() noexcept;
  bool begin_watch() noexcept;
  void watch() noexcept;
  Clock::time_point give_core_away(Clock::time_point begin) noexcept;

  Worker& self_;
  Parker sleeper_;
  bool watches_ = false;
  Ask ask_;
  std::atomic<bool> awake_{true};
  std::uint64_t given_away_nanoseconds_ = 0;
  OwnCounter asks_;
  OwnCounter parks_;
  OwnCounter parked_nanoseconds_;
  OwnCounter searching_nanoseconds_;
};

}  // namespace kumiko::runtime::detail
