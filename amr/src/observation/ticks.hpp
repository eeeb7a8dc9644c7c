// The clock of the steppers' bookkeeping: the processor's time stamp counter.
#pragma once

#include <chrono>
#include <cstdint>

namespace kumiko::amr {

/// The processor's time stamp counter: some nanoseconds to read, of a frequency of its own.
inline std::uint64_t read_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Ticks from one reading to a later one. Readings of different cores may be a little apart.
inline std::uint64_t elapsed(std::uint64_t from, std::uint64_t to) {
  return to > from ? to - from : 0;
}

/// Measures the counter's frequency against the system's clock, the better the longer it lives.
class TickClock {
 public:
  std::uint64_t begin() const { return begin_; }
  /// By the clocks since the beginning; from any thread.
  double seconds_per_tick() const {
    const std::chrono::duration<double> run = std::chrono::steady_clock::now() - begin_time_;
    const std::uint64_t ticks = elapsed(begin_, read_ticks());
    return ticks > 0 ? run.count() / static_cast<double>(ticks) : 0.0;
  }

 private:
  const std::uint64_t begin_ = read_ticks();
  const std::chrono::steady_clock::time_point begin_time_ = std::chrono::steady_clock::now();
};

}  // namespace kumiko::amr
