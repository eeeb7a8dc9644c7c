// A window of base steps: its pieces of work, and their order in level-synchronous stepping.
#pragma once

#include <cstddef>

#include <kumiko/amr/trace.hpp>

#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// Base steps first .. first + count - 1, in which the mesh stays as it is.
struct Window {
  StepClock clock;
  int first;
  int count;
  int levels;           ///< that have patches
  bool blends_in_time;  ///< whether finer patches interpolate between a step's states

  /// Steps that a level takes.
  int steps(int level) const { return count * clock.substeps(level); }
  LevelStep step(int level, int number) const { return clock.step(first, level, number); }
};

/// A piece of work: what is done to which patch in which step.
struct Piece {
  PieceKind kind;
  LevelStep step;
  std::size_t slot;
};

/// Calls visit(kind, step) for every phase of a level's step, with the finer levels' steps within,
/// one after the other (Berger & Oliger 1984), as long as it returns true.
template <class Visit>
void for_each_phase(const Window& window, Visit visit) {
  PieceKind kind = PieceKind::kAdvance;
  LevelStep step = window.step(0, 0);
  while (visit(kind, step)) {
    const bool is_coarse = step.level + 1 < window.levels;
    if (kind == PieceKind::kAdvance && is_coarse && window.blends_in_time) {
      kind = PieceKind::kBlend;
    } else if (kind != PieceKind::kFinish && is_coarse) {
      kind = PieceKind::kAdvance;
      step = window.step(step.level + 1, step.finer_begin());
    } else if (step.ends_coarse()) {
      kind = PieceKind::kFinish;
      step = window.step(step.level - 1, step.coarse_number());
    } else if (step.level == 0 && step.number + 1 == window.count) {
      return;
    } else {
      kind = PieceKind::kAdvance;
      step = window.step(step.level, step.number + 1);
    }
  }
}

}  // namespace kumiko::amr
