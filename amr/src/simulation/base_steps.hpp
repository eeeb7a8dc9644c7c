// Takes the base steps of a run, chooses their length, and goes back after one that fails.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>

#include "simulation/kept_state.hpp"
#include "stepping/first_failure.hpp"
#include "stepping/step_control.hpp"
#include "stepping/time_stepper.hpp"

namespace kumiko::amr {

/// No length of a base step is short enough. All ranks throw it, before a base step is begun.
class NoStepServes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The base step and the time at which a run stands, and the way to the next ones. Where steps may
/// fail and the run chooses them, or is to keep its state, a copy of the state is kept before each
/// window of steps; it takes 8 bytes a point and component. By one driver; all ranks of a shared
/// mesh call the same members.
class BaseSteps {
 public:
  /// Keeps references to all but the case and the options, which are resolved(). Gives the stepper
  /// the length of the first step.
  BaseSteps(const Case& problem, const Solver& solver, const SimulationOptions& options,
            Hierarchy& hierarchy, Backend& backend, TimeStepper& stepper);

  /// Has the run begin at a time in place of 0. Throws as StepControl::begin() does.
  void begin(double time);
  /// Continues from a saved run. Throws as StepControl::resume() does.
  void resume(const SavedRun& saved);

  int step() const { return step_; }
  double time() const { return stepper_.clock().time(step_); }
  double dt() const { return stepper_.clock().dt(0); }
  /// Whether CFL numbers of equal steps may grow.
  bool may_grow() const { return may_grow_; }
  /// Whether the run chooses its steps by a CFL number.
  bool chooses() const { return control_.chooses(); }
  /// Whether the run ends here. Steps beyond the last of a given number may be taken.
  bool is_over() const { return is_over_at(step_); }
  bool is_over_at(int step) const { return control_.is_over(step); }
  /// As Simulation::reach().
  double reach() const { return reach(step_); }
  /// The number of base steps after which the run reaches a time, at most `most`, and no more than
  /// there are before the next choice of their length; at least 1.
  int until(double time, int most) const;

  /// Whether the length of a step is to be chosen before it.
  bool is_choice_due(int step) const { return control_.is_due(step); }
  /// Chooses the length of the steps from here, where all levels stand at the same time. Throws
  /// NoStepServes. O(points) where speeds change, on the backend's workers.
  /// \param largest_cfl  of all ranks' patches with the present length, where they know it already
  void choose(std::optional<double> largest_cfl = std::nullopt);
  /// The latest choice, for a saved run; none where all steps have one length.
  std::optional<StepChoice> saved_choice() const;

  /// Takes base steps. When one is refused, goes back, takes the steps before it and chooses a
  /// shorter one. \return what TimeStepper::advance() does with these values if all of them were
  /// taken; nothing if one was refused. Throws as that does for other failures, and NoStepServes.
  /// Defined here to be inlined: tests/amr/call_chain_test.cpp counts the calls down to the kernel.
  std::optional<std::vector<double>> advance(int count, const TimeStepper::OwnValues& own_values) {
    keep();
    std::optional<std::vector<double>> values;
    try {
      values = stepper_.advance(step_, count, own_values);
    } catch (...) {
      go_back();
      return std::nullopt;
    }
    step_ += count;
    return values;
  }
  /// Whether the state is that before step() again, on all ranks, after advance() has thrown.
  bool is_restored() const { return is_restored_; }

  /// The bytes of the copy of the state.
  std::size_t memory_bytes() const { return kept_.memory_bytes(); }

 private:
  double reach(int step) const;
  void keep();
  void go_back();
  void shorten(const StepRefused& refused);
  void choose_up_to(double most, std::string refused, std::optional<double> largest_cfl);

  const Solver& solver_;
  Hierarchy& hierarchy_;
  Backend& backend_;
  TimeStepper& stepper_;
  bool may_grow_;
  bool ends_at_exact_times_;
  StepControl control_;
  bool keeps_;  ///< whether a copy of the state is kept before each window
  KeptState kept_;
  bool is_restored_ = false;
  int step_ = 0;
};

}  // namespace kumiko::amr
