// Burgers' equation without viscosity: what moves sets its own speed, and shocks form.
#pragma once

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {

/// ∂u/∂t + ∂(u²/2)/∂x + ∂(u²/2)/∂y = 0 for cell averages, each component by itself; the case's
/// velocity is not used. Cells have limited slopes (van Leer 1979, J. Comput. Phys. 32), faces
/// Godunov's flux, which lets no rarefaction shock pass (Godunov 1959); in time, SSP-RK2 (Shu &
/// Osher 1988, J. Comput. Phys. 77), whose stages read two layers of ghosts each, so that four
/// serve one step without an exchange. Second order where u is smooth and has no extremum.
///
/// CFL number: the largest 2 |u| Δt/h, the sum over both axes. Up to the limit of 0.5 no value
/// leaves the range of those around it, whatever the limiter.
SolverEntry burgers_entry();

}  // namespace kumiko::solvers
