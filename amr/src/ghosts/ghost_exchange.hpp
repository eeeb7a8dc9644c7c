// Fills the ghosts of a patch from its level, the level below, or the boundary.
#pragma once

#include <cstddef>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation_options.hpp>

#include "ghosts/departure_ghosts.hpp"
#include "ghosts/ghost_time.hpp"
#include "transfer/sibling_copy.hpp"

namespace kumiko::amr {

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

  /// Adapts to a changed mesh, before levels are filled between steps of coarser ones.
  void follow_mesh() { departures_.follow_mesh(); }
  /// Bytes of what is kept for patches.
  std::size_t memory_bytes() const { return departures_.memory_bytes(); }

  /// Fills all ghosts of a state of the patch in a slot. Reads the siblings' interiors in the same
  /// state. Reads the coarse level's state at the start of its step, ghosts included; with a
  /// fraction above 0, interpolation in time also reads its unrestricted other state, ghosts
  /// included.
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
