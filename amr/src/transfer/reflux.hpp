// Conservation at coarse–fine boundaries: what the fine patches let through replaces what the
// coarse ones did.
#pragma once

#include <cstddef>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "patches exchange fluxes through four sides");

/// Adds the fluxes of a patch's latest step to its register, or begins the register with them: the
/// mean of the two fine faces in each coarse one. Touches this patch alone. 32 sums a component.
/// \param substep  0 begins, 1 adds
void accumulate_fluxes(Patch& fine, int substep);

/// Corrects the points of a patch that lie beside finer patches and are covered by none: the coarse
/// flux through the face between them is taken back and the finer patch's register put in its
/// place. Writes this patch's `state` alone; reads its fluxes and the registers of its children and
/// of its neighbours' children, in the order of quadrants and sides, so that the bits depend on
/// nothing else. Those children must have taken both substeps, and the patch must hold the fluxes
/// of the step that made the state.
/// \param state  of the patch in the slot
void reflux(const Hierarchy& hierarchy, int level, std::size_t slot, PatchView state);

}  // namespace kumiko::amr
