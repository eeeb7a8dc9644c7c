// Chooses the lengths of base steps.
#pragma once

#include <limits>
#include <optional>

#include <kumiko/amr/stretch.hpp>
#include <kumiko/amr/times.hpp>

namespace kumiko::amr {

/// The step of a run: so many to its end, or as long as a CFL number allows. What is chosen depends
/// on the state alone, and on the base steps before which choices are made: those after a regrid,
/// kBetweenChoices after the latest choice, where a stretch ends, and where a step was refused.
/// docs/reference/numerics.md has the rule.
class StepControl {
 public:
  /// Base steps from one choice to the next, at most.
  static constexpr int kBetweenChoices = 8;
  /// How often a choice before one base step may be made anew.
  static constexpr int kMostAttempts = 40;

  /// \param end          time of the run's end
  /// \param steps        base steps of the whole run; 0: chosen by `cfl`
  /// \param cfl          the CFL number that no patch is to exceed; where steps are chosen
  /// \param may_grow     whether CFL numbers of equal steps may grow while the run goes on
  /// \param exact        times that base steps are to end at; where steps are chosen
  StepControl(double end, int steps, double cfl, bool may_grow, Times exact = {});

  /// Has the run begin at a time in place of 0: its steps divide what is left of it from there.
  /// Throws std::invalid_argument unless the time lies before the end.
  void begin(double time);

  /// Continues from a saved run. Where the run is to have another number of steps than it had, or
  /// another CFL number, what is left of it is divided anew. Throws std::invalid_argument when no
  /// step is left for it.
  /// \param step   at which it stands, at `time`, after a step of length `dt`
  /// \param saved  none: the run has had steps of one length from its start
  void resume(int step, double time, double dt, const std::optional<StepChoice>& saved);

  bool chooses() const { return cfl_ > 0.0; }
  /// Has a choice be made before the next base step.
  void ask() { is_asked_ = true; }
  const Stretch& stretch() const { return choice_.stretch; }
  const StepChoice& choice() const { return choice_; }
  /// Whether the run ends before a base step. Steps beyond the last of a given number may be taken.
  bool is_over(int step) const {
    return chooses() && step == stretch().last() && stretch().end() == end_;
  }

  /// Times that are closer than this count as one.
  double closest() const;

  /// Whether a choice is to be made before a base step.
  bool is_due(int step) const { return chooses() && left_to_choice(step) <= 0; }
  /// Base steps that may be taken until then.
  int left_to_choice(int step) const;

  /// Chooses the step before a base step.
  /// \param rate  the largest CFL number over all patches that stand there, over the step's length
  /// \param most  that the step may be
  /// Throws StepTooShort.
  void choose(int step, double rate, double most = std::numeric_limits<double>::infinity());
  /// Shortens the step that was chosen last, since a patch has a CFL number above the limit with
  /// it. Throws StepTooShort.
  void shorten(double cfl);

  /// No step that is short enough was found.
  struct StepTooShort {
    int step;
    double dt;
    int attempts;
    double shortest;  ///< step that a run takes
  };

 private:
  void set(int step, double free_dt, double rate);
  /// Where a stretch ends that is under way at a time, or begins there.
  double end_of_stretch(double time) const;

  bool has_chosen() const { return choice_.free_dt > 0.0; }

  double end_;
  int steps_;
  double cfl_;
  bool may_grow_;
  Times exact_;
  StepChoice choice_;
  bool is_asked_ = false;  ///< whether a choice is due before the base step where the run stands
  int attempts_ = 0;       ///< at the step of the latest choice
};

}  // namespace kumiko::amr
