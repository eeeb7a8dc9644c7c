// A stored state from which a new run begins, in place of its case's initial field.
#pragma once

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// A stored state and the time at which a new run begins with it. Of the saved run, the mesh and
/// the values count; these may be in its source. Its step, its choice of steps, its histories and
/// its counters do not.
///
/// - On its own grid (is_on_own_grid()) the run begins with the state's mesh and its bits, and
///   rebuilds the mesh before its first step.
/// - On another one the mesh is built as from a case's initial field, and each patch gets the
///   state's values by the transfer operators, level by level as in sample_uniform() if its grid is
///   one of the state's levels or a finer one, else by AxisRemap from the state's finest level. The
///   mass of cells is then kept to round-off. The case's sides hold for the state, too.
struct InitialState {
  SavedRun run;
  Geometry geometry;  ///< its extent, points and centring; the boundaries are not used
  double time = 0.0;
};

/// field_figures() and state_hash() of the state. Reads all values.
StoredDiagnostics diagnose(const InitialState& initial);

/// True if a run that begins with the state has its level 0, its centring, and at least as many
/// levels as the state has with patches.
bool is_on_own_grid(const InitialState& initial, const SolverTraits& traits,
                    const SimulationOptions& options);

/// Throws std::invalid_argument unless the state has the domain of a case and values of as many
/// components.
void check_initial(const InitialState& initial, const Case& problem);

}  // namespace kumiko::amr
