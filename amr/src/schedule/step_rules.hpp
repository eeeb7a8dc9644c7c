// Which pieces of work a step has, and which of them read other patches: every order of the work
// follows from these rules.
#pragma once

#include <kumiko/amr/hierarchy.hpp>

#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// The rules of one run. Keeps a reference to the hierarchy. Every member may be called from many
/// threads at once; none suspends.
class StepRules {
 public:
  /// \param blends_in_time  whether ghosts between the coarse level's times are interpolated from
  ///     the states at both of them: linear or quadratic in time
  StepRules(const Hierarchy& hierarchy, const StepClock& clock, bool blends_in_time)
      : hierarchy_(hierarchy), clock_(clock), blends_in_time_(blends_in_time) {}

  const StepClock& clock() const { return clock_; }
  bool blends_in_time() const { return blends_in_time_; }
  /// Whether the last piece of a patch's step must wait for its siblings' children: they read its
  /// unrestricted state, or it reads their fluxes.
  bool reads_siblings_children() const { return blends_in_time_ || hierarchy_.shape().flux_form; }
  /// Whether a patch's step has a last piece, PieceKind::kFinish: the patch has children or, when
  /// fluxes are kept, neighbours that have.
  bool finishes(int level, std::size_t slot) const;

 private:
  const Hierarchy& hierarchy_;
  StepClock clock_;
  bool blends_in_time_;
};

}  // namespace kumiko::amr
