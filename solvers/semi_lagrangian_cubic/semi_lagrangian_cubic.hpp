// Cubic semi-Lagrangian advection of a scalar at nodes.
#pragma once

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {

/// u(x, t + dt) = u(x - d, t): the departure point by one of three schemes, the value there by
/// tensor-product cubic Lagrange interpolation on the 4×4 points around the departure cell (4
/// interpolations in x, 1 in y). Third order in space, stable up to CFL number 1 with two ghost
/// layers, not conservative. Semi-Lagrangian schemes: Staniforth & Côté 1991, Mon. Weather Rev.
/// 119.
SolverEntry semi_lagrangian_cubic_entry();

}  // namespace kumiko::solvers
