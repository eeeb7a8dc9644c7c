#include "ghosts/boundary_fill.hpp"

#include <algorithm>
#include <cstddef>

namespace kumiko::amr {

namespace {

/// What lies beyond a patch along one axis.
struct Axis {
  const Boundary* side = nullptr;  ///< the side that is crossed; nullptr when none is
  int first = 0;                   ///< ghosts first .. last - 1, in the patch's indices
  int last = kPatchSize;
  int outermost = 0;  ///< the patch's point at the side
  int mirror = 0;     ///< index + mirrored index, the wall being half-way

  bool fixed() const { return side != nullptr && side->kind == BoundaryKind::kFixedValue; }

  /// The index within the domain whose value the ghost takes.
  int source(int index) const {
    if (side == nullptr) return index;
    return side->kind == BoundaryKind::kReflecting ? mirror - index : outermost;
  }
};

/// \param position  of the patch along the axis, of `count` that cover the domain
/// \param step      -1, 0 or 1, to the ghosts
Axis axis(const Boundary& low, const Boundary& high, int position, int count, int step,
          int ghosts) {
  Axis result;
  if (step == 0) return result;
  result.first = step < 0 ? -ghosts : kPatchSize;
  result.last = step < 0 ? 0 : kPatchSize + ghosts;
  result.outermost = step < 0 ? 0 : kPatchSize - 1;
  result.mirror = step < 0 ? -1 : 2 * kPatchSize - 1;
  const Boundary& side = step < 0 ? low : high;
  const bool beyond = position + step < 0 || position + step >= count;
  if (beyond && side.kind != BoundaryKind::kPeriodic) result.side = &side;
  return result;
}

void fill_value(const Axis& x, const Axis& y, double value, PatchView target) {
  for (int component = 0; component < target.components(); ++component) {
    for (int j = y.first; j < y.last; ++j) {
      double* const row = &target(x.first, j, component);
      std::fill(row, row + (x.last - x.first), value);
    }
  }
}

void copy_points(const Axis& x, const Axis& y, PatchView target) {
  for (int component = 0; component < target.components(); ++component) {
    for (int j = y.first; j < y.last; ++j) {
      const int from = y.source(j);
      for (int i = x.first; i < x.last; ++i) {
        target(i, j, component) = target(x.source(i), from, component);
      }
    }
  }
}

}  // namespace

void fill_outside(const Geometry& geometry, const Patch& patch, PatchView target) {
  const Boundaries& sides = geometry.boundaries();
  const PatchId& id = patch.id();
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    if (patch.ghost_sources[d].kind != GhostSource::Kind::kOutside) continue;
    const Axis x = axis(sides.left, sides.right, id.i, geometry.patches_x(id.level),
                        kDirections[d].dx, target.ghosts());
    const Axis y = axis(sides.bottom, sides.top, id.j, geometry.patches_y(id.level),
                        kDirections[d].dy, target.ghosts());
    if (x.fixed() || y.fixed()) {
      fill_value(x, y, x.fixed() ? x.side->value : y.side->value, target);
    } else {
      copy_points(x, y, target);
    }
  }
}

}  // namespace kumiko::amr
