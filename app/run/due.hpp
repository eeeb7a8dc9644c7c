// When a run writes: by its base steps and by the case's time.
#pragma once

#include <utility>

#include <kumiko/amr/times.hpp>

namespace kumiko::app {

/// Base steps after which the loop looks for signals and shows progress, at most.
inline constexpr int kLongestRound = 20;

/// A kind of output that is due every so many base steps, and at times of the case.
class Due {
 public:
  Due(int every, amr::Times times) : every_(every), times_(std::move(times)) {}

  /// Steps from `step` to the next that is due by its number.
  int steps_left(int step) const { return every_ > 0 ? every_ - step % every_ : kLongestRound; }
  /// The next time after those that have been reached.
  double next(double reached) const { return times_.next(reached); }
  /// True if it is due at a step that reaches a time; the step before, where the loop looked,
  /// reached less.
  bool is_now(int step, double before, double reached) const {
    return (every_ > 0 && step % every_ == 0) || times_.next(before) <= reached;
  }

 private:
  int every_;
  amr::Times times_;
};

}  // namespace kumiko::app
