// Interpolates coarse–fine ghosts of cell averages at any time of the coarse step.
#pragma once

#include <span>

#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// A coarse patch over its step: its states at the start and at the end, before restriction and
/// refluxing, both with ghosts, and its coefficients. The end's is read for fractions above 0 only.
struct CoarseStep {
  ConstPatchView start;
  ConstPatchView end;
  std::span<const double> coefficients;
};

/// Fills cells of a fine patch from a coarse one: the coarse cells in time, then
/// interpolate_cells(). In time, f the fraction of the coarse step: u(t) + f (u(t + Δt) - u(t)), or
/// for kQuadratic the parabola that also has the solver's tendency k at t, u(t) + f (k + f (u(t +
/// Δt) - u(t) - k)); for SSP-RK3 this is the scheme's continuous extension. The tendency is
/// computed anew for each call, so that no patch stores a third state.
/// \param range  the cells as interpolate_cells() counts them, within one quadrant of the coarse
/// patch
/// \param i, j   the range's first cell within the fine patch
void fill_cells_from_coarse(const Solver& solver, TimeInterpolation interpolation,
                            const CoarseStep& coarse, double fraction, const PointRange& range,
                            PatchView fine, int i, int j);

}  // namespace kumiko::amr
