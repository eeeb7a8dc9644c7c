// Fills the ghosts of a patch from its level, the level below, or the boundary.
#pragma once

#include <array>
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
        side_copies_(&side_copies(hierarchy.shape().ghosts)),
        departures_(hierarchy, problem, solver) {}

  /// Fills all ghosts of a state of the patch in a slot. Siblings' interiors are read in the same
  /// state. The coarse level's state at the start of its step, ghosts included, must stand; for
  /// linear interpolation with a fraction above 0 its unrestricted other state, ghosts included,
  /// too.
  /// Cost: copies; per coarse–fine ghost a separable interpolation at the coarse state's time, else
  /// one on 16 points in vectors. Does not suspend.
  void fill(int level, std::size_t slot, State state, const GhostTime& when) const;

 private:
  void copy_sibling(const Patch& source, std::size_t direction, State state,
                    PatchView target) const;
  void fill_from_coarse(int level, const GhostSource& source, std::size_t direction,
                        const GhostTime& when, PatchView target) const;

  Hierarchy& hierarchy_;
  const Case& case_;
  const Solver& solver_;
  TimeInterpolation interpolation_;
  bool cells_;
  const std::array<SideCopy, 8>* side_copies_;
  DepartureGhosts departures_;
};

}  // namespace kumiko::amr
