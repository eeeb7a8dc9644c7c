// Fills coarse–fine ghosts within a coarse step from where their particles departed.
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/solver.hpp>

#include "ghosts/departure_kernel.hpp"

namespace kumiko::amr {

static_assert(kAxes == 2, "the kernel interpolates on 4×4 points");

/// Fills the ghosts of a patch that have their source on the level below with what the coarse state
/// holds where their particles were then: no interpolation in time (docs/reference/numerics.md).
/// Points are taken on lines, every second of a row or column, whose coarse stencils lie side by
/// side in memory; columns by way of a small transposed copy.
class DepartureGhosts {
 public:
  DepartureGhosts(const Hierarchy& hierarchy, const Case& problem, const Solver& solver);

  /// \param patch   whose ghosts are filled; keeps the displacements while the velocity is steady
  /// \param target  its state
  /// \param coarse  the state of the level below, ghosts filled
  /// \param time    of the ghosts
  /// \param tau     how much earlier the coarse state stands: half its step, the same in each call
  /// Writes this patch alone. Cost per ghost point: about 70 flops in vectors, and for an unsteady
  /// velocity its displacement.
  void fill(Patch& patch, PatchView target, State coarse, double time, double tau) const;

 private:
  std::span<const double> displacements(Patch& patch, double time, double tau,
                                        std::span<double> scratch) const;
  void compute(const Patch& patch, double time, double tau, std::span<double> values) const;

  const Hierarchy& hierarchy_;
  const Case& case_;
  const Solver& solver_;
  DepartureKernel kernel_;
};

}  // namespace kumiko::amr
