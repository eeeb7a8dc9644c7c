// Measures the flow in the exchange that ends a window of base steps.
#pragma once

#include <optional>
#include <vector>

#include "simulation/base_steps.hpp"
#include "simulation/regrid_clock.hpp"
#include "stepping/time_stepper.hpp"

namespace kumiko::amr {

/// Measurements that all owners know before a base step; none where they are not needed there.
struct MeasuredFlow {
  std::optional<double> interval;  ///< the least RegridClock::own_interval() of all owners
  std::optional<double> cfl;       ///< the largest CFL number of all owners' patches
};

/// The measurements that are needed before one base step. Each owner computes its part when a
/// window of steps ends there, and TimeStepper::advance() exchanges it with the counts, so that
/// measuring costs no exchange of its own.
class FlowMeasurement {
 public:
  /// Keeps references to the clock of regrids and the stepper.
  FlowMeasurement(const RegridClock& regrids, const BaseSteps& steps, TimeStepper& stepper,
                  int step)
      : regrids_(regrids),
        stepper_(stepper),
        step_(step),
        needs_interval_(regrids.looks_before(step)),
        needs_cfl_(steps.is_choice_due(step) && !steps.is_over_at(step) && !regrids.is_due(step)) {}

  /// This owner's part: values of which the largest of all owners count. Communicates with no other
  /// owner. O(patches), or O(points) where speeds change.
  std::vector<double> own_part() const;
  /// The measurements of all owners.
  /// \param largest  the largest values of all owners' parts
  MeasuredFlow of_all(const std::vector<double>& largest) const;

 private:
  const RegridClock& regrids_;
  TimeStepper& stepper_;
  int step_;
  bool needs_interval_;
  bool needs_cfl_;
};

}  // namespace kumiko::amr
