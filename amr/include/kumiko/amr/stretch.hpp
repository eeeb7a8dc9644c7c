// Base steps of equal length that follow one another, and how a run has chosen that length.
#pragma once

#include <cstdint>

namespace kumiko::amr {

/// Base steps first .. first + count - 1, of one length, from one time to another.
class Stretch {
 public:
  Stretch() = default;
  /// \param first  base step that begins at time `begin`
  /// \param end    time where the last one ends, to the bit; after `begin`
  Stretch(int first, double begin, double end, std::int64_t count)
      : first_(first),
        count_(count),
        begin_(begin),
        end_(end),
        dt_((end - begin) / static_cast<double>(count)) {}
  /// A whole run of `steps` base steps from time 0: base step k begins at k Δt, and the run ends at
  /// steps × Δt, which may differ from `end` by one ulp.
  static Stretch whole_run(double end, int steps) {
    Stretch run(0, 0.0, end, steps);
    run.end_ = steps * run.dt_;
    return run;
  }

  int first() const { return first_; }
  std::int64_t count() const { return count_; }
  /// The base step that begins where it ends.
  std::int64_t last() const { return first_ + count_; }
  double begin() const { return begin_; }
  double end() const { return end_; }
  double dt() const { return dt_; }
  bool operator==(const Stretch&) const = default;

  /// When a base step begins; of one beyond the last, as if the stretch went on.
  double time(int base_step) const {
    return base_step == last() ? end_ : begin_ + (base_step - first_) * dt_;
  }

 private:
  int first_ = 0;
  std::int64_t count_ = 1;
  double begin_ = 0.0;
  double end_ = 1.0;
  double dt_ = 1.0;
};

/// The latest choice of a run that chooses its steps.
struct StepChoice {
  Stretch stretch = {};
  double free_dt = 0.0;  ///< length that was wanted; the stretch's divides what is left
  int step = 0;          ///< base step before which it was made
  double rate = 0.0;     ///< largest CFL number of all patches there, over the step's length
  double cfl = 0.0;      ///< CFL number that was asked for; 0: a number of steps was
};

}  // namespace kumiko::amr
