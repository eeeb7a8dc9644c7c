// Conservative advection of cell averages, high order, without new extrema.
#pragma once

#include <kumiko/solvers/registry.hpp>

namespace kumiko::solvers {

/// ∂u/∂t + ∇·(v u) = 0 for cell averages u, in one step of Lin & Rood (1996, Mon. Weather Rev.
/// 124):
///   u' = u + F(u + g(u)/2) + G(u + f(u)/2),
/// F, G the changes by one-dimensional fluxes along x and y, f, g the same in advective form. A
/// flux is the integral over the length swept in the step of the polynomial that has the averages
/// of `order` cells around the upwind one. Fluxes are limited as Zalesak (1979, J. Comput. Phys.
/// 31) does, between them and the donor cell's: no value leaves the range of the nine around it, of
/// old and donor-cell values, in a flow without divergence.
///
/// Velocities are those of the middle of the step: second order in time, of the stated order in
/// constant flow. CFL number: the largest |v_x| Δt/h plus the largest |v_y| Δt/h at a cell's faces;
/// the donor cell's limit, 1, is declared.
SolverEntry flux_form_fct_entry();

}  // namespace kumiko::solvers
