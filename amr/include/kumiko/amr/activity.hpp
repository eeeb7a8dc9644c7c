// What each worker is doing at this moment, for a display of a running run.
#pragma once

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

/// What one worker is doing: a piece of work, or nothing.
struct WorkerActivity {
  bool is_busy = false;  ///< true while it does a piece of work of a base step
  double seconds = 0.0;  ///< time since the piece began; if idle, since the last piece ended
  PatchId patch;         ///< valid while it is busy, as is the following
  PieceKind kind = PieceKind::kAdvance;
  int base_step = 0;
};

}  // namespace kumiko::amr
