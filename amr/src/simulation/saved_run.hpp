// Copies patches to a saved run and back, and checks that a saved run makes sense.
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation_options.hpp>

#include "refinement/criterion.hpp"
#include "sharing/mailbox.hpp"

namespace kumiko::amr {

/// Throws std::invalid_argument, naming what is wrong, unless a saved run of so many base steps
/// fits the shape of a hierarchy whose level 0 is there. `longest_interval`: between regrids.
void check(const SavedRun& saved, const Hierarchy& hierarchy, int steps, int longest_interval);

/// Throws std::invalid_argument unless a saved run has level 0 of the options' grid; to be called
/// before there is memory for it.
void check_base(const SavedRun& saved, const SimulationOptions& options);

/// Throws std::invalid_argument unless patches of one level nest in the level below, which is
/// there.
void check_nesting(std::span<const PatchId> patches, const Hierarchy& hierarchy);

/// Gives each of the mesh's levels its values, so that copy() can be called for its patches in any
/// order.
void make_room(SavedRun& saved, int components);

/// Copies the values of one patch; by any thread.
void copy(const Patch& patch, std::size_t slot, SavedRun& to);
/// Copies the values of kExtraNames of one patch, for which there must be room; by any thread.
void copy_extras(const Patch& patch, int worker, double cost_s, const IndicatorField& indicator,
                 std::size_t slot, SavedRun& to);
void copy(const SavedRun& saved, std::size_t slot, Patch& to);

/// Brings to owner 0 the records and CFL numbers of all patches; each owner has put in its own.
/// All owners call it. Suspends. Cost there: all records.
void gather_records(const Mesh<2>& mesh, Owner& owner, Mailbox& mailbox, SavedRun& saved);

}  // namespace kumiko::amr
