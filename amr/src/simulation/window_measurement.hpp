// Measures flow and field in the exchange that ends a window of base steps.
#pragma once

#include <optional>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/hierarchy.hpp>

#include "simulation/base_steps.hpp"
#include "simulation/regrid_clock.hpp"
#include "stepping/time_stepper.hpp"

namespace kumiko::amr {

/// Measurements that all ranks know before a base step; none where they are not needed there.
struct Measured {
  std::optional<double> interval;  ///< the least RegridClock::own_interval() of all ranks
  std::optional<double> cfl;       ///< the largest CFL number of all ranks' patches
  std::optional<std::vector<double>> magnitudes;  ///< as largest_magnitudes()
};

/// The measurements that are needed before one base step. Each rank computes its part when a
/// window of steps ends there, and TimeStepper::advance() exchanges it with the counts, so that
/// measuring costs no exchange of its own. A regrid that becomes due by what is measured here finds
/// no magnitudes.
class WindowMeasurement {
 public:
  /// Keeps references to all but the steps.
  /// \param has_scales  whether regrids need the magnitudes of the field
  WindowMeasurement(const Hierarchy& hierarchy, Backend& backend, const RegridClock& regrids,
                    const BaseSteps& steps, TimeStepper& stepper, int step, bool has_scales)
      : hierarchy_(hierarchy),
        backend_(backend),
        regrids_(regrids),
        stepper_(stepper),
        step_(step),
        needs_interval_(regrids.looks_before(step)),
        needs_cfl_(steps.is_choice_due(step) && !steps.is_over_at(step) && !regrids.is_due(step)),
        needs_magnitudes_(has_scales && regrids.is_due(step) && !steps.is_over_at(step)) {}

  /// This rank's part: values of which the largest of all ranks count. Communicates with no other
  /// rank. O(patches), or O(points) where speeds change or a regrid is due.
  std::vector<double> own_part() const;
  /// The measurements of all ranks.
  /// \param largest  the largest values of all ranks' parts
  Measured of_all(const std::vector<double>& largest) const;

 private:
  const Hierarchy& hierarchy_;
  Backend& backend_;
  const RegridClock& regrids_;
  TimeStepper& stepper_;
  int step_;
  bool needs_interval_;
  bool needs_cfl_;
  bool needs_magnitudes_;
};

}  // namespace kumiko::amr
