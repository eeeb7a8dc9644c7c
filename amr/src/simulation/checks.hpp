// Checks that the parts of a run fit together, and completes its options.
#pragma once

#include <cstdint>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// The shape of the patches of a run: the components of the case, the solver's ghosts and
/// coefficients, at least the ghosts that the engine reads, and faces where fluxes are kept.
PatchShape shape_for(const Case& problem, const Solver& solver, const SimulationOptions& options);

/// Replaces options that stand for others by their values: an end time of 0 by the case's, kAuto by
/// the time interpolation that suits the solver, thresholds of another grid by those of this one.
/// Throws as check() of simulation_options.hpp does.
SimulationOptions resolved(SimulationOptions options, const Case& problem,
                           const SolverTraits& traits);

/// The geometry of a case, a solver and options that fit together.
/// Throws std::invalid_argument when the case, the solver and the options do not fit together, or
/// when level 0 exceeds the memory limit: OptionError for an option that the solver cannot serve,
/// DeclarationError for a declaration that the engine cannot serve.
/// \param options  as resolved() returns them
/// \param ranks   processes that share the mesh
Geometry checked_geometry(const Case& problem, const Solver& solver,
                          const SimulationOptions& options, std::int32_t ranks);

}  // namespace kumiko::amr
