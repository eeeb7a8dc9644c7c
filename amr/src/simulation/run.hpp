// The objects of a run: mesh, field, stepper and clocks.
#pragma once

#include <cstddef>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/amr/statistics.hpp>

#include "ghosts/ghost_exchange.hpp"
#include "refinement/criterion.hpp"
#include "refinement/field_scales.hpp"
#include "simulation/base_steps.hpp"
#include "simulation/regrid_clock.hpp"
#include "stepping/time_stepper.hpp"

namespace kumiko::amr {

/// The state of a run and the objects that compute it, built in the order of their declaration.
/// RunLoop, Regridder, Rebalancer and RunSaver act on it, one at a time and on the backend's
/// driver; all ranks of a shared mesh do the same to theirs.
struct Run {
  /// Checks that the parts fit together, and makes level 0 without values. Keeps references to all
  /// but the options. Throws as Simulation's constructor does.
  Run(const Case& problem, const Solver& solver, Backend& backend, const SimulationOptions& options,
      Communicator& communicator);

  Observer& observer() { return stepper.observer(); }
  TraceRecorder& recorder() { return observer().recorder(); }

  /// Fills the ghosts of one own patch from the state at the present time, whose shadows are
  /// refreshed. By any worker.
  void fill_ghosts(int level, std::size_t slot);
  /// Fills the ghosts of all own patches of a level in the same way, after refreshing its shadows.
  void fill_ghosts(int level);

  /// The indicator by which patches are tagged with other options.
  Indicator indicator_for(const RefinementOptions& refinement) const;
  /// True if the criterion divides by the scales of the field.
  bool has_scales() const;

  /// All slots of a level's own patches.
  std::vector<std::size_t> slots(int level) const;

  /// Memory of all ranks. All ranks call it.
  MemoryUse memory_use() const;

  const Case& problem;
  const Solver& solver;
  Backend& backend;
  Communicator& communicator;
  const SimulationOptions options;  ///< as resolved() returns them
  Hierarchy hierarchy;
  GhostExchange exchange;
  TimeStepper stepper;
  BaseSteps steps;
  RegridClock regrids;
  FieldScales scales;
  int next_check = 0;  ///< the base step before which values are to be checked next
};

}  // namespace kumiko::amr
