// A rank that computes while others call it: the work, and calls at times of their own.
#pragma once

#include <cstdint>
#include <random>

#include "support/clock.hpp"
#include "ways.hpp"

namespace kumiko::bench {

/// A piece of work of a microsecond or two: a chain of steps, each of which needs the one before.
inline std::uint64_t compute_piece(std::uint64_t value) {
  constexpr int kSteps = 600;
  constexpr std::uint64_t kMultiplier = 6364136223846793005U;  // of Knuth's MMIX generator
  for (int step = 0; step < kSteps; ++step) value = (value ^ (value >> 29)) * kMultiplier + 1;
  return value;
}

/// Calls, and rests for a random time after each, `gap` seconds in the mean, so that the calls find
/// the other rank at any point of what it does. Regular times could keep step with its polls, and
/// who calls all the time would see a long stall in one call of thousands.
template <class Call, class Rest>
Samples call_now_and_then(long calls, double gap, Call call, Rest rest) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> gaps(1 / gap);
  Samples seconds;
  for (long i = 0; i < calls; ++i) {
    const double begin = steady_seconds() + gaps(random);
    while (steady_seconds() < begin) rest();
    const double called = steady_seconds();
    call();
    seconds.add(steady_seconds() - called);
  }
  return seconds;
}

/// What a rank computes alone, and while it is called.
struct Progress {
  double alone_per_second;
  double called_per_second;
};

/// Reports the times of calls, and what they have left of the computation.
inline void report_load(const std::string& name, Samples seconds, const Progress& progress,
                        JsonLine& report) {
  report.add(name + "_p50_us", 1e6 * seconds.quantile(0.5))
      .add(name + "_p99_us", 1e6 * seconds.quantile(0.99))
      .add(name + "_kept", progress.called_per_second / progress.alone_per_second);
}

}  // namespace kumiko::bench
