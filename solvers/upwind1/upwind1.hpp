// Conservative advection of cell averages, first order: the solver to learn the interface from.
#pragma once

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {

/// ∂u/∂t + ∇·(v u) = 0 by donor cells: what flows through a face has the value of the cell that it
/// comes from (Courant, Isaacson & Rees 1952, Commun. Pure Appl. Math. 5). First order, one ghost
/// layer, no over- or undershoots in a flow without divergence, very diffusive.
SolverEntry upwind1_entry();

}  // namespace kumiko::solvers
