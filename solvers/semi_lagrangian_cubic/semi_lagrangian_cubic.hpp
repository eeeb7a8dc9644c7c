// Cubic and quintic semi-Lagrangian advection at nodes.
#pragma once

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {

/// u(x, t + dt) = u(x - d, t): the departure point by one of three schemes, the value there by
/// tensor-product Lagrange interpolation on the 4×4 points around the departure cell (cubic: 4
/// interpolations in x, 1 in y; third order, two ghost layers) or on the 6×6 (quintic: fifth order,
/// three ghost layers). Stable up to CFL number 1, not conservative. Over- and undershoots stay, or
/// are clipped to the values at the departure cell's corners. Semi-Lagrangian schemes: Staniforth &
/// Côté 1991, Mon. Weather Rev. 119; clipping: Bermejo & Staniforth 1992, Mon. Weather Rev. 120.
SolverEntry semi_lagrangian_cubic_entry();

}  // namespace kumiko::solvers
