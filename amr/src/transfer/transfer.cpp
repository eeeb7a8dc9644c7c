#include "transfer/transfer.hpp"

#include "transfer/cubic.hpp"

namespace kumiko::amr {

void prolong(ConstPatchView parent, int quadrant, PatchView fine) {
  const int i0 = kRefinementRatio * quadrant_begin(quadrant, 0);
  const int j0 = kRefinementRatio * quadrant_begin(quadrant, 1);
  for (int component = 0; component < fine.components(); ++component) {
    interpolate_block(parent, component, {i0, j0, kPatchSize, kPatchSize}, fine.origin(component),
                      fine.stride());
  }
}

void restrict_onto(ConstPatchView fine, int quadrant, PatchView parent) {
  const int i0 = quadrant_begin(quadrant, 0);
  const int j0 = quadrant_begin(quadrant, 1);
  for (int component = 0; component < fine.components(); ++component) {
    for (int j = 0; j < kQuadrantSize; ++j) {
      for (int i = 0; i < kQuadrantSize; ++i) {
        parent(i0 + i, j0 + j, component) = fine(2 * i, 2 * j, component);
      }
    }
  }
}

PatchCoordinates::PatchCoordinates(const Geometry& geometry, const PatchId& id) {
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) {
      const auto at = static_cast<std::size_t>(j * kPatchSize + i);
      x_[at] = geometry.coordinate(id.level, id.i * kPatchSize + i);
      y_[at] = geometry.coordinate(id.level, id.j * kPatchSize + j);
    }
  }
}

}  // namespace kumiko::amr
