// A step of a level, and which of its patches' two states stands at either end.
#pragma once

#include <cstdint>

#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/stretch.hpp>

namespace kumiko::amr {

/// All levels stand at the same time where a window of base steps begins, and their state is
/// `now`. From there a level's steps are numbered from 0, and its states with them: state n is the
/// one that step n begins from.
constexpr State state_at(int number) { return (number & 1) == 0 ? State::kNow : State::kNext; }

struct LevelStep {
  int level = 0;
  int number = 0;     ///< since the window began
  int base_step = 0;  ///< of the run
  double time = 0.0;  ///< where the step begins
  double dt = 0.0;    ///< its length
  int ratio = 2;      ///< steps in one of the level below: 2, or 1 without subcycling

  State from() const { return state_at(number); }
  State to() const { return state_at(number + 1); }
  /// Number of the level below's step that contains this one.
  int coarse_number() const { return number >> (ratio - 1); }
  /// Whether it is the second half of that step.
  bool second_half() const { return level > 0 && (number & (ratio - 1)) != 0; }
  /// Whether the level below's step ends with it.
  bool ends_coarse() const { return level > 0 && ((number + 1) & (ratio - 1)) == 0; }
  /// The level below's state at the start of its step that contains this one.
  State coarse_from() const { return state_at(coarse_number()); }
  /// When the step begins and ends, counted in steps of the finest level that there can be since
  /// the window began: of all levels, the same number for the same time.
  std::int64_t begin_tick() const { return std::int64_t{number} << finer_levels(); }
  std::int64_t end_tick() const { return (std::int64_t{number} + 1) << finer_levels(); }
  /// Number of the level above's state where this step begins.
  int finer_begin() const { return ratio * number; }
  /// Number of the level above's state where this step ends.
  int finer_end() const { return ratio * (number + 1); }

 private:
  int finer_levels() const { return kLargestLevelCount - (ratio == 1 ? 0 : level); }
};

/// The steps of a stretch of base steps: the same numbers for every schedule.
class StepClock {
 public:
  StepClock(const Stretch& stretch, bool subcycling)
      : stretch_(stretch), ratio_(subcycling ? kRefinementRatio : 1) {}

  /// Steps of a level in one of the level below.
  int ratio() const { return ratio_; }
  /// Steps of a level in a base step.
  int substeps(int level) const { return 1 << shift(level); }
  /// Length of a step of a level.
  double dt(int level) const { return stretch_.dt() / static_cast<double>(substeps(level)); }
  /// When a base step begins.
  double time(int base_step) const { return stretch_.time(base_step); }
  const Stretch& stretch() const { return stretch_; }

  /// Step `number` of a level in a window that begins with base step `first`.
  LevelStep step(int first, int level, int number) const {
    const int base_step = first + (number >> shift(level));
    const int within = number & (substeps(level) - 1);
    return {level, number, base_step, time(base_step) + within * dt(level), dt(level), ratio_};
  }

 private:
  int shift(int level) const { return ratio_ == 1 ? 0 : level; }

  Stretch stretch_;
  int ratio_;
};

}  // namespace kumiko::amr
