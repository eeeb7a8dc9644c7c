// Visits the phases of level-synchronous stepping in their order.
#pragma once

#include <kumiko/amr/trace.hpp>

#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// What the order depends on, for a window of base steps that begins with `first`.
struct PhaseOrder {
  const StepClock& clock;
  int first;
  int levels;           ///< that have patches
  bool blends_in_time;  ///< whether finer patches interpolate between a step's states
};

/// Calls visit(kind, step) for every phase of a level's step, with the finer levels' steps within,
/// one after the other (Berger & Oliger 1984), as long as it returns true.
/// \return whether it always did
template <class Visit>
bool for_each_phase(const PhaseOrder& order, int level, int number, Visit& visit) {
  const LevelStep step = order.clock.step(order.first, level, number);
  if (!visit(PieceKind::kAdvance, step)) return false;
  if (level + 1 == order.levels) return true;
  if (order.blends_in_time && !visit(PieceKind::kBlend, step)) return false;
  for (int finer = step.finer_begin(); finer < step.finer_end(); ++finer) {
    if (!for_each_phase(order, level + 1, finer, visit)) return false;
  }
  return visit(PieceKind::kFinish, step);
}

}  // namespace kumiko::amr
