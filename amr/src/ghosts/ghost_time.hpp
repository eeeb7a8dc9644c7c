// The time of ghosts within a step of the level below.
#pragma once

#include <kumiko/amr/patch.hpp>

namespace kumiko::amr {

/// The time for which ghosts are filled, and where it lies in the step of the coarser level. Give
/// its members by name.
struct GhostTime {
  double time = 0.0;           ///< of the ghosts
  double since_coarse = 0.0;   ///< time minus the start of the coarse level's step
  double fraction = 0.0;       ///< since_coarse ÷ the coarse step, for interpolation in time
  State coarse = State::kNow;  ///< the coarse level's state at the start of its step
};

}  // namespace kumiko::amr
