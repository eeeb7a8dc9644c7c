// Computes how many base steps may pass until the next regrid.
#pragma once

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

#include "data/patch_table.hpp"
#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// The most base steps that automatic_interval() gives, so that a flow that is at rest at a regrid
/// is looked at again.
inline constexpr int kLongestInterval = 64;

/// The largest number of base steps in which a feature on a level that is tagged, moving at the
/// level's largest CFL number C, cannot leave the buffer: on level l, which takes s steps of at
/// most C points in a base step (2^l, or 1 without subcycling), buffer / (C s), rounded down. The
/// least of all levels but the finest that have patches, between 1 and kLongestInterval. One
/// driver, O(patches). The result does not depend on the backend, the number of workers and the
/// owners.
/// \param cfl  of each patch's step that was prepared last
int automatic_interval(const Hierarchy& hierarchy, const PatchTable<double>& cfl,
                       const StepClock& clock, int buffer, Owner& owner);

}  // namespace kumiko::amr
