// Fills coarse–fine ghosts within a coarse step from where their particles departed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/solver.hpp>

#include "data/patch_table.hpp"
#include "ghosts/departure_kernel.hpp"
#include "ghosts/ghost_time.hpp"

namespace kumiko::amr {

static_assert(kAxes == 2, "the kernel interpolates on 4×4 points");

/// Fills the ghosts of a patch that have their source on the level below with what the coarse state
/// holds where their particles were then: no interpolation in time (docs/reference/numerics.md).
/// Points are taken on lines, every second of a row or column, whose coarse stencils lie side by
/// side in memory; columns by way of a small transposed copy.
class DepartureGhosts {
 public:
  DepartureGhosts(const Hierarchy& hierarchy, const Case& problem, const Solver& solver);

  /// Makes room for what is kept of patches, displacements while the velocity is steady; to be
  /// called when the mesh has changed and before fill(). Those that stay keep theirs. O(patches).
  void follow_mesh() { kept_.follow(hierarchy_.mesh()); }

  /// Fills a state of the patch in a slot, where the level below is read, whose state
  /// `when.coarse` has its ghosts filled.
  /// Writes this patch alone. Cost per ghost point: about 70 flops in vectors, and for an unsteady
  /// velocity its displacement.
  void fill(int level, std::size_t slot, PatchView target, const GhostTime& when) const;
  /// Bytes that are kept.
  std::size_t memory_bytes() const;

 private:
  /// What filling a patch's ghosts needs again and again.
  struct Kept {
    std::uint8_t directions = 0;  ///< those filled from the level below: bit d for kDirections[d]
    double tau = 0.0;             ///< that the displacements are of
    std::vector<double> displacements;
  };
  using Reads = std::span<const PlannedRead>;

  std::span<const double> displacements(int level, std::size_t slot, double time, double tau,
                                        std::span<double> scratch) const;
  void compute(int level, Reads reads, double time, double tau, std::span<double> values) const;
  void fill_region(const PlannedRead& read, ConstPatchView from, PatchView target, const double* dx,
                   const double* dy) const;

  const Hierarchy& hierarchy_;
  const Case& case_;
  const Solver& solver_;
  DepartureKernel kernel_;
  mutable PatchTable<Kept> kept_;  ///< a fill writes its own patch's alone
};

}  // namespace kumiko::amr
