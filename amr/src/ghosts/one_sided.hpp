// Fills the ghosts of a patch that lie beyond the domain where its sides' values are not known.
#pragma once

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "the domain has four sides");

/// Fills every ghost of `target` that lies beyond the domain by extrapolation, along x, then along
/// y: of the four outermost values by a cubic for nodes, of the five outermost by a quartic for
/// cells. The transfer operators then give what one-sided interpolation of their own order gives,
/// which is exact for the same polynomials. Constants pass without rounding.
/// The interior, and every ghost that does not lie beyond the domain, must be filled before.
/// \param outside  the directions that lead out of the domain, bit d for kDirections[d]
void fill_one_sided(Centring centring, unsigned outside, PatchView target);

}  // namespace kumiko::amr
