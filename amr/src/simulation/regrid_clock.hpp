// Chooses the base steps before which the mesh is rebuilt.
#pragma once

#include <optional>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation_options.hpp>

#include "stepping/time_stepper.hpp"

namespace kumiko::amr {

/// The base step of the next regrid, by the interval of the options or by how far the flow carries
/// features. All ranks of a shared mesh have one, call the same members at the same base steps and
/// get the same results. Members that measure the flow cost O(patches) and one reduction over all
/// ranks; they throw if a rank is lost.
class RegridClock {
 public:
  /// Keeps references to the hierarchy, the stepper and the rank.
  /// \param may_grow  whether CFL numbers of equal steps may grow while the run goes on
  RegridClock(const Hierarchy& hierarchy, const TimeStepper& stepper,
              const SimulationOptions& options, bool may_grow, Communicator& communicator);

  /// The base step before which the mesh is rebuilt next; 0 with one level, which never is, and
  /// where a run begins with the mesh of a stored state.
  int next() const { return next_; }
  /// Whether the mesh is to be rebuilt before a base step.
  bool is_due(int step) const { return levels_ > 1 && step == next_; }
  /// Base steps that may be taken in one go.
  int left(int step) const;

  /// Takes over the next regrid of a saved run that stands before a base step.
  void resume(int step, int next);
  /// Brings the next regrid forward where the changed options of a resumed run ask for an earlier
  /// one. Measures the flow where there is no fixed interval.
  void note_changed_options(int step);
  /// Sets the next regrid after one before a base step. Measures the flow where there is no fixed
  /// interval.
  void note_regrid(int step);
  /// Brings the next regrid forward, since features may leave the buffer earlier with longer steps.
  /// Measures the flow where there is no fixed interval.
  void note_longer_steps(int step);
  /// Whether the flow is to be measured before a base step, since it may become faster. That
  /// depends on the step's number alone, so that no output and no restart changes it.
  bool looks_before(int step) const;
  /// This rank's part of what look_at_what_is_travelled() measures. Asks nobody.
  double own_interval() const;
  /// Brings the next regrid forward when features would leave the buffer before it.
  /// \param measured  the least own_interval() of all ranks, where they know it already
  void look_at_what_is_travelled(int step, std::optional<double> measured);
  /// The first base step within which features may leave the buffer, before any regrid can follow
  /// them; nothing where there is none so far.
  std::optional<int> outrun_at() const { return outrun_at_; }

 private:
  int interval_by_flow() const;
  /// The base step before which the mesh must follow next; `step` itself where the flow leaves the
  /// buffer within that step.
  int follow_at(int step) const;

  const Hierarchy& hierarchy_;
  const TimeStepper& stepper_;
  Communicator& communicator_;
  int levels_;
  int interval_;
  int buffer_;
  bool watches_flow_;  ///< whether the flow may become faster than when next_ was set
  int next_ = 0;
  std::optional<int> outrun_at_;
  int looked_at_ = 0;  ///< base step of the latest look_at_what_is_travelled() that measured
};

}  // namespace kumiko::amr
