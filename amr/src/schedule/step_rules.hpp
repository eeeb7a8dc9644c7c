// Which pieces of work a step has, and which of them read other patches: every order of the work
// follows from these rules.
#pragma once

#include <kumiko/amr/read_plan.hpp>

#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// The rules of one run, on the mesh that a plan is of. Keeps a reference to the plan. Every const
/// member may be called from many threads at once; none suspends.
class StepRules {
 public:
  /// \param flux_form       whether patches keep fluxes
  /// \param blends_in_time  whether ghosts between the coarse level's times are interpolated from
  ///     the states at both of them: linear or quadratic in time
  StepRules(const ReadPlan& plan, bool flux_form, const StepClock& clock, bool blends_in_time)
      : plan_(plan), clock_(clock), flux_form_(flux_form), blends_in_time_(blends_in_time) {}

  const ReadPlan& plan() const { return plan_; }
  const StepClock& clock() const { return clock_; }
  /// Another length of the steps, between two windows.
  void set_clock(const StepClock& clock) { clock_ = clock; }
  bool flux_form() const { return flux_form_; }
  bool blends_in_time() const { return blends_in_time_; }
  /// Whether the last piece of a patch's step must wait for its siblings' children: they read its
  /// unrestricted state, or it reads their fluxes.
  bool reads_siblings_children() const { return blends_in_time_ || flux_form_; }
  /// Whether a patch's step has a last piece, PieceKind::kFinish: the patch has children or, when
  /// fluxes are kept, neighbours that have.
  bool finishes(int level, std::size_t slot) const;

 private:
  const ReadPlan& plan_;
  StepClock clock_;
  bool flux_form_;
  bool blends_in_time_;
};

}  // namespace kumiko::amr
