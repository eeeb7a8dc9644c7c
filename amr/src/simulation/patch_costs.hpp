// Estimates what a base step of each patch costs.
#pragma once

#include <optional>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/solver.hpp>

#include "stepping/time_stepper.hpp"

namespace kumiko::amr {

/// The expected costs of the patches of all ranks, by the number of steps of their level and the
/// solver's weights. Communicates with no other rank. By one driver, between windows of steps.
class PatchCosts {
 public:
  /// Keeps references to all three.
  PatchCosts(const Hierarchy& hierarchy, const Solver& solver, const TimeStepper& stepper,
             bool subcycling)
      : hierarchy_(hierarchy), solver_(solver), stepper_(stepper), subcycling_(subcycling) {}

  /// Costs in steps of level 0 of a patch of weight 1, at a time. O(patches). Throws
  /// DeclarationError for a weight that is not positive and finite.
  ByPatch<double> weighted(double time) const;

  /// Costs in seconds, from the time that it takes here to advance one of this rank's patches.
  /// Ghosts, restriction and waiting are not included. Nothing where this rank has no patch. Takes
  /// about 0.5 ms, or three advances where they take longer. Throws as weighted() does.
  std::optional<ByPatch<double>> seconds(double time) const;

 private:
  /// The seconds that it takes to advance a patch, the least of several tries. The nearest interior
  /// values serve as ghosts, since those of a patch may not have been filled yet.
  double try_out(const Patch& patch) const;

  const Hierarchy& hierarchy_;
  const Solver& solver_;
  const TimeStepper& stepper_;
  bool subcycling_;
};

}  // namespace kumiko::amr
