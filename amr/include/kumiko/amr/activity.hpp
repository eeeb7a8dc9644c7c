// What each worker is doing at this moment, for whoever watches a run.
#pragma once

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

/// What one worker is at.
struct WorkerActivity {
  bool is_busy = false;  ///< with a piece of work of a base step
  double seconds = 0.0;  ///< for how long; else since when its last piece is done
  PatchId patch;         ///< if it is busy, as the following
  PieceKind kind = PieceKind::kAdvance;
  int base_step = 0;
};

}  // namespace kumiko::amr
