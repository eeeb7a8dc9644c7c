// Filling the ghosts of a patch from its level, the level below, or the boundary.
#pragma once

#include <cstddef>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation.hpp>

namespace kumiko::amr {

/// Which of a patch's two states.
enum class State { kNow, kNext };

/// The instant that ghosts stand for, seen from the level below.
struct GhostTime {
  double time = 0.0;          ///< of the ghosts
  double since_coarse = 0.0;  ///< time minus the coarse level's `now`
  double fraction = 0.0;      ///< since_coarse ÷ the coarse step, for linear interpolation
};

/// Fills ghosts. Reads interiors of the patch's level and whole patches of the level below; writes
/// the ghosts of one patch only, so that patches may be filled in parallel.
class GhostExchange {
 public:
  GhostExchange(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                TimeInterpolation interpolation)
      : hierarchy_(hierarchy), case_(problem), solver_(solver), interpolation_(interpolation) {}

  /// Fills all ghosts of a state of the patch in a slot. Siblings' interiors are read in the same
  /// state. The coarse level's `now`, ghosts included, must stand; for linear interpolation with a
  /// fraction above 0 its unrestricted `next`, ghosts included, too.
  /// Cost: copies, and 16-point interpolations per coarse–fine ghost. Does not suspend.
  void fill(int level, std::size_t slot, State state, const GhostTime& when) const;

 private:
  struct Region;
  void copy_sibling(const Patch& source, State state, const Region& region, PatchView target) const;
  void fill_outside(const Region& region, PatchView target) const;
  void fill_from_coarse(const Patch& coarse, const GhostSource& source, const Region& region,
                        const GhostTime& when, PatchView target) const;
  void trace_from_coarse(const Patch& coarse, const GhostSource& source, const Region& region,
                         const GhostTime& when, PatchView target) const;

  Hierarchy& hierarchy_;
  const Case& case_;
  const Solver& solver_;
  TimeInterpolation interpolation_;
};

}  // namespace kumiko::amr
