// What solvers that advance by one flux-form step of a kernel have in common.
#pragma once

#include <span>

#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/face_velocities.hpp>

#include "step.hpp"

namespace kumiko::solvers::flux_form {

/// Layout of a patch's coefficients: the spacing, then the Courant numbers of its faces.
constexpr std::size_t coefficients(int margin) { return 1 + plugin::face_values(margin); }

/// Fills coefficients(margin) values with the velocities of the middle of the step; returns
/// plugin::cfl_number().
double prepare_step(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                    int margin, std::span<double> coefficients);

/// Below this, new values count as 0: soon they would cost the processor's detour for denormals.
inline constexpr double kNegligible = 1e-200;

/// The step of one component.
Step step_of(amr::ConstPatchView before, std::span<const double> coefficients, int margin,
             int component, amr::PatchView after, Fluxes& fluxes, double negligible = kNegligible);

/// Hands over the fluxes of one component on the lines that the engine asks for.
void copy_lines(const Fluxes& from, double spacing, int component, amr::FaceFluxes to);

/// Δt ∂u/∂t by third-order fluxes of this moment (κ = 1/3: van Leer 1977, J. Comput. Phys. 23), for
/// every component. Reads two layers around the range.
void upwind_tendency(amr::ConstPatchView state, std::span<const double> coefficients, int margin,
                     const amr::PointRange& range, amr::PatchView tendency);

}  // namespace kumiko::solvers::flux_form
