// Copies patches to a saved run and back, and checks that a saved run makes sense.
#pragma once

#include <cstddef>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/saved_run.hpp>

#include "refinement/criterion.hpp"

namespace kumiko::amr {

/// Throws std::invalid_argument, naming what is wrong, unless a saved run of so many base steps
/// fits the shape of a hierarchy whose level 0 is there. `longest_interval`: between regrids.
void check(const SavedRun& saved, const Hierarchy& hierarchy, int steps, int longest_interval);

/// Throws std::invalid_argument unless a saved run has that many patches on level 0; to be called
/// before there is memory for them.
void check_base(const SavedRun& saved, std::size_t patches);

/// Throws std::invalid_argument unless a level nests in the one below, which is there.
void check_nesting(const SavedLevel& saved, const Hierarchy& hierarchy);

/// Sizes a level's lists, so that copy() can be called for its patches in any order.
void make_room(SavedLevel& saved, const Level& level, int components);

/// Copies one patch; by any thread.
void copy(const Patch& patch, std::size_t slot, SavedLevel& to);
/// Copies the values of kExtraNames of one patch, for which there must be room; by any thread.
void copy_extras(const Patch& patch, int worker, double cost_s, const IndicatorField& indicator,
                 std::size_t slot, SavedLevel& to);
void copy(const SavedLevel& saved, std::size_t slot, Patch& to);

}  // namespace kumiko::amr
