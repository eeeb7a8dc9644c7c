// Computes how many base steps may pass until the next regrid.
#pragma once

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

#include "data/patch_motion.hpp"
#include "data/patch_table.hpp"
#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// The most base steps that automatic_interval() gives, so that a flow that is at rest at a regrid
/// is looked at again.
inline constexpr int kLongestInterval = 64;

/// How many base steps lie at most between two looks at what has been travelled, where the flow may
/// change. A flow that becomes faster in between may carry a feature out of the buffer before the
/// next look.
inline constexpr int kBetweenLooks = 4;

/// The largest number of base steps more in which a feature on a level that is tagged does not
/// leave the buffer at the speed that the flow has now: in a patch of level l, which takes s steps
/// in a base step (2^l, or 1 without subcycling), with CFL number C and t points travelled since
/// the latest regrid, (buffer - t) / (C s), rounded down. The least of all patches of all levels
/// but the finest that may be, between 0 and kLongestInterval. What a feature has travelled in
/// another patch before it came into this one does not count. One driver, O(patches). The result
/// does not depend on the backend, the number of workers and the ranks.
int automatic_interval(const Hierarchy& hierarchy, const PatchTable<PatchMotion>& motion,
                       const StepClock& clock, int buffer, Communicator& communicator);
/// The least of this rank's patches; automatic_interval() is the least of all ranks' ones,
/// rounded down. Asks nobody.
double own_interval(const Hierarchy& hierarchy, const PatchTable<PatchMotion>& motion,
                    const StepClock& clock, int buffer, const Communicator& communicator);

}  // namespace kumiko::amr
