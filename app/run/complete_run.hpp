// What a restart of a complete run finds in its folder.
#pragma once

#include "run/run_start.hpp"

namespace kumiko::app {

/// True if a run has nothing left to compute, and stays in its folder.
bool is_done_here(const Start& start);
/// True if the folder of such a run has its last state, whole and with its sidecar, so that it need
/// not be written again. Call it before the folder's manifest is removed.
bool has_last_state(const Start& start);

}  // namespace kumiko::app
