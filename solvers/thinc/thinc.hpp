// Conservative advection of a volume fraction whose interface stays sharp.
#pragma once

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {

/// ∂u/∂t + ∇·(v u) = 0 for cell averages u that are `low` or `high` but for cells that the
/// interface cuts. There the fluxes sweep a hyperbolic tangent (THINC: Xiao, Honma & Kono 2005,
/// Int. J. Numer. Methods Fluids 48) whose steepness along an axis is `beta` times the normal's
/// share of it (THINC/SW: Xiao, Ii & Chen 2011, J. Comput. Phys. 230); elsewhere they are the donor
/// cell's. The step is unsplit, as Lin & Rood's (1996) in flux_form_fct, with donor-cell half steps
/// across, and limited by Zalesak's limiter (1979): no value leaves the range of the nine around it
/// in a flow without divergence. CFL number as in flux_form_fct; its limit is 1.
SolverEntry thinc_entry();

}  // namespace kumiko::solvers
