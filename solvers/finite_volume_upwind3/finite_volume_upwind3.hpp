// Conservative advection of cell averages, third order in space and time.
#pragma once

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {

/// ∂u/∂t + ∇·(v u) = 0 for cell averages u. A face's average of u is the upwind-biased quadratic's
/// (κ = 1/3: van Leer 1977, J. Comput. Phys. 23): (-u₋₁ + 5u₀ + 2u₁) / 6 for flow from cell 0 to
/// cell 1. A face's mean flux is the product of the means of v and u plus h²/12 ∂v/∂s ∂u/∂s along
/// the face (McCorquodale & Colella 2011, Commun. Appl. Math. Comput. Sci. 6). In time, SSP-RK3
/// (Shu & Osher 1988, J. Comput. Phys. 77); each stage reads two more layers, so that six ghost
/// layers serve one step without an exchange. No limiter: it overshoots at jumps.
///
/// The mean normal velocities of faces come from the case's stream function: constants stay to
/// round-off then, except at coarse–fine boundaries of an unsteady flow, where they change by the
/// fourth power of the step over a run. Without one they come from the velocity, by Gauss's rule
/// with two points a face.
///
/// CFL number: the largest |v_x| Δt/h plus the largest |v_y| Δt/h at a cell's faces; von Neumann's
/// analysis gives stability up to 1.626, the limit is 1.5. A wall lets nothing through where the
/// normal velocity on it is 0. Cost: about 40 flops per cell and stage, on 24², 20² and 16² cells.
SolverEntry finite_volume_upwind3_entry();

}  // namespace kumiko::solvers
