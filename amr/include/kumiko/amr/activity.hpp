// What each worker is doing at this moment, for whoever watches a run.
#pragma once

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

/// What one worker is doing: a piece of work, or nothing.
struct WorkerActivity {
  bool is_busy = false;  ///< with a piece of work of a base step
  double seconds = 0.0;  ///< since the piece began; if idle, since the last one ended
  PatchId patch;         ///< if it is busy, as the following
  PieceKind kind = PieceKind::kAdvance;
  int base_step = 0;
};

}  // namespace kumiko::amr
