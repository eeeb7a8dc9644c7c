// Base steps of equal length that follow one another, and how a run has chosen that length.
#pragma once

namespace kumiko::amr {

/// Base steps first .. first + count - 1, of one length, from one time to another.
class Stretch {
 public:
  Stretch() = default;
  /// \param first  base step that begins at time `begin`
  /// \param end    time where the last one ends, to the bit; after `begin`
  Stretch(int first, double begin, double end, int count)
      : first_(first), count_(count), begin_(begin), end_(end), dt_((end - begin) / count) {}
  /// A whole run of `steps` base steps from time 0: base step k begins at k Δt, and the run ends at
  /// steps × Δt, which may be an ulp beside `end`.
  static Stretch whole_run(double end, int steps) {
    Stretch run(0, 0.0, end, steps);
    run.end_ = steps * run.dt_;
    return run;
  }

  int first() const { return first_; }
  int count() const { return count_; }
  int last() const { return first_ + count_; }  ///< the base step that begins where it ends
  double begin() const { return begin_; }
  double end() const { return end_; }
  double dt() const { return dt_; }
  /// When a base step begins; of one beyond the last, as if the stretch went on.
  double time(int base_step) const {
    return base_step == last() ? end_ : begin_ + (base_step - first_) * dt_;
  }

 private:
  int first_ = 0;
  int count_ = 1;
  double begin_ = 0.0;
  double end_ = 1.0;
  double dt_ = 1.0;
};

/// What a run that chooses its steps keeps of its latest choice.
struct StepChoice {
  Stretch stretch = {};
  double free_dt =
      0.0;            ///< the length that was wanted: the stretch's is a whole part of what is left
  int step = 0;       ///< the base step before which it was made
  double rate = 0.0;  ///< the largest CFL number over all patches there, over the step's length
};

}  // namespace kumiko::amr
