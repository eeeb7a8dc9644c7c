// A copy of a mesh's state, to go back to.
#pragma once

#include <cstddef>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/hierarchy.hpp>

#include "data/patch_motion.hpp"
#include "data/patch_table.hpp"
#include "simulation/saved_run.hpp"

namespace kumiko::amr {

/// The values `now` of the interiors of this process's patches, and how far the flow has carried
/// what is in them. Takes 8 bytes a point and component. By one driver; the copies are made on the
/// backend's workers.
class KeptState {
 public:
  /// Copies the state, in place of what was kept. O(points).
  void keep(Hierarchy& hierarchy, Backend& backend, const PatchTable<PatchMotion>& motion) {
    values_.follow(hierarchy.mesh());
    motion_ = motion;
    for (int index = 0; index < hierarchy.used_levels(); ++index) {
      const Level& level = hierarchy.level(index);
      backend.for_each(level, [&](std::size_t slot, int) {
        std::vector<double>& values = values_.at(index, slot);
        values.resize(static_cast<std::size_t>(hierarchy.shape().components) * kPatchPoints);
        copy(level.patch(slot), values);
      });
    }
  }

  /// Brings back what was kept; the mesh has not changed since. O(points).
  void restore(Hierarchy& hierarchy, Backend& backend, PatchTable<PatchMotion>& motion) {
    motion = motion_;
    for (int index = 0; index < hierarchy.used_levels(); ++index) {
      Level& level = hierarchy.level(index);
      backend.for_each(
          level, [&](std::size_t slot, int) { copy(values_.at(index, slot), level.patch(slot)); });
    }
  }

  std::size_t memory_bytes() const {
    std::size_t bytes = values_.memory_bytes() + motion_.memory_bytes();
    values_.for_each([&](const std::vector<double>& of_patch) {
      bytes += of_patch.capacity() * sizeof(double);
    });
    return bytes;
  }

 private:
  PatchTable<std::vector<double>> values_;
  PatchTable<PatchMotion> motion_;
};

}  // namespace kumiko::amr
