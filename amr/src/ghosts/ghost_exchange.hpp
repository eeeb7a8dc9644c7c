// Fills the ghosts of a patch from its level, the level below, or the boundary.
#pragma once

#include <cstddef>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation_options.hpp>

#include "ghosts/departure_ghosts.hpp"
#include "transfer/sibling_copy.hpp"

namespace kumiko::amr {

/// The instant that ghosts stand for, seen from the level below.
struct GhostTime {
  double time = 0.0;           ///< of the ghosts
  double since_coarse = 0.0;   ///< time minus the start of the coarse level's step
  double fraction = 0.0;       ///< since_coarse ÷ the coarse step, for linear interpolation
  State coarse = State::kNow;  ///< the coarse level's state at the start of its step
};

/// Fills ghosts. Reads interiors of the patch's level and whole patches of the level below; writes
/// the ghosts of one patch only, so that patches may be filled in parallel.
class GhostExchange {
 public:
  GhostExchange(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                TimeInterpolation interpolation)
      : hierarchy_(hierarchy),
        case_(problem),
        solver_(solver),
        interpolation_(interpolation),
        cells_(solver.traits().centring == Centring::kCell),
        copy_siblings_(sibling_copy(hierarchy.shape().ghosts)),
        departures_(hierarchy, problem, solver) {}

  /// To be called when the mesh has changed, before levels are filled between the coarser ones'
  /// steps.
  void follow_mesh() { departures_.follow_mesh(); }
  /// Bytes that are kept of patches.
  std::size_t memory_bytes() const { return departures_.memory_bytes(); }

  /// Fills all ghosts of a state of the patch in a slot. Siblings' interiors are read in the same
  /// state. The coarse level's state at the start of its step, ghosts included, must stand; for
  /// linear interpolation with a fraction above 0 its unrestricted other state, ghosts included,
  /// too.
  /// Cost: copies; per coarse–fine ghost a separable interpolation at the coarse state's time, else
  /// one on 16 points in vectors. Does not suspend.
  void fill(int level, std::size_t slot, State state, const GhostTime& when) const;

 private:
  void fill_from_coarse(const Patch& coarse, const PlannedRead& read, const GhostTime& when,
                        PatchView target) const;

  Hierarchy& hierarchy_;
  const Case& case_;
  const Solver& solver_;
  TimeInterpolation interpolation_;
  bool cells_;
  SiblingCopy copy_siblings_;
  DepartureGhosts departures_;
};

}  // namespace kumiko::amr
