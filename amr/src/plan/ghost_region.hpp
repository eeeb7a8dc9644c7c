// Which ghosts lie on one side or corner of a patch, and which points of other patches they read.
#pragma once

#include <cstddef>

#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "ghosts lie on four sides and four corners");

/// Coarse points that ghosts read on each side of the one at or below them, whichever way they are
/// interpolated.
inline constexpr int kCoarseReach = 2;

/// The ghosts towards one neighbour, in the patch's indices: i0 <= i < i1, j0 <= j < j1. Adding the
/// shift gives the same points in the indices of the neighbour's place.
struct GhostRegion {
  int i0, i1, j0, j1;
  int shift_i, shift_j;

  GhostRegion(Direction d, int ghosts)
      : i0(d.dx < 0 ? -ghosts : (d.dx > 0 ? kPatchSize : 0)),
        i1(d.dx < 0 ? 0 : (d.dx > 0 ? kPatchSize + ghosts : kPatchSize)),
        j0(d.dy < 0 ? -ghosts : (d.dy > 0 ? kPatchSize : 0)),
        j1(d.dy < 0 ? 0 : (d.dy > 0 ? kPatchSize + ghosts : kPatchSize)),
        shift_i(-d.dx * kPatchSize),
        shift_j(-d.dy * kPatchSize) {}

  std::size_t points() const { return static_cast<std::size_t>((i1 - i0) * (j1 - j0)); }

  /// What to add to get the indices within the coarse patch that covers the neighbour's place with
  /// a quadrant, counted in fine points.
  int coarse_shift_i(int quadrant) const {
    return shift_i + kRefinementRatio * quadrant_begin(quadrant, 0);
  }
  int coarse_shift_j(int quadrant) const {
    return shift_j + kRefinementRatio * quadrant_begin(quadrant, 1);
  }

  /// The same points in the indices of a sibling at the neighbour's place.
  PointRange of_sibling() const { return {i0 + shift_i, i1 + shift_i, j0 + shift_j, j1 + shift_j}; }
  /// The points of that coarse patch, ghosts included, that interpolation to the ghosts may read.
  PointRange of_coarse(int quadrant) const {
    const int at_i = coarse_shift_i(quadrant);
    const int at_j = coarse_shift_j(quadrant);
    return {((i0 + at_i) >> 1) - kCoarseReach, ((i1 - 1 + at_i) >> 1) + kCoarseReach + 1,
            ((j0 + at_j) >> 1) - kCoarseReach, ((j1 - 1 + at_j) >> 1) + kCoarseReach + 1};
  }
};

}  // namespace kumiko::amr
