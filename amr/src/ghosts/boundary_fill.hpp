// Fills the ghosts of a patch that lie beyond the domain.
#pragma once

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "the domain has four sides");

/// Fills every ghost of `target`, a state of a patch, that lies beyond a side that is not periodic.
/// \param outside  the directions that lead there, bit d for kDirections[d]
/// \param first_component  the case's component that `target` begins with
///
/// A ghost is the value of one point within the domain (or across a periodic side), which is found
/// by going first to the left or right, then to the bottom or top side: the outermost point for
/// kOutflow, the mirror image for kReflecting. At a side of kFixedValue the search ends with that
/// side's value, at one of kPrescribed with what the case says of the point that it has come to at
/// `time`, which the state stands at. So a ghost has one value, whichever patch fills it and
/// whether the places around are refined or not.
///
/// What must stand before: the interior, and every ghost that does not lie beyond the domain, of
/// this state: from siblings, from the level below, or across periodic sides. A corner of the
/// domain needs the interior only, so the sides may be filled in any order.
/// Touches no other patch. Cost: one copy per ghost beyond the domain, for kPrescribed a call of
/// the case for each neighbour's place and component, 16 calls where the points are cells; nothing
/// for other patches.
void fill_outside(const Geometry& geometry, const Case& problem, const PatchId& id,
                  unsigned outside, PatchView target, double time, int first_component = 0);

}  // namespace kumiko::amr
