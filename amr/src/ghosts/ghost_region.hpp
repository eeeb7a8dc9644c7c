// Which ghosts lie on one side or corner of a patch.
#pragma once

#include <kumiko/amr/patch.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "ghosts lie on four sides and four corners");

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

  /// What to add to get the indices within the coarse patch that covers the neighbour's place,
  /// counted in fine points.
  int coarse_shift_i(const GhostSource& source) const {
    return shift_i + kRefinementRatio * quadrant_begin(source.quadrant, 0);
  }
  int coarse_shift_j(const GhostSource& source) const {
    return shift_j + kRefinementRatio * quadrant_begin(source.quadrant, 1);
  }
};

}  // namespace kumiko::amr
