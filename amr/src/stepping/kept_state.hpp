// A copy of a mesh's state, to go back to.
#pragma once

#include <cstddef>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/hierarchy.hpp>

#include "data/patch_motion.hpp"
#include "data/patch_table.hpp"

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
        copy_interior(level.patch(slot), values_.at(index, slot));
      });
    }
  }

  /// Brings back what was kept; the mesh has not changed since. O(points).
  void restore(Hierarchy& hierarchy, Backend& backend, PatchTable<PatchMotion>& motion) {
    motion = motion_;
    for (int index = 0; index < hierarchy.used_levels(); ++index) {
      Level& level = hierarchy.level(index);
      backend.for_each(level, [&](std::size_t slot, int) {
        put_back(values_.at(index, slot), level.patch(slot));
      });
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
  static void copy_interior(const Patch& patch, std::vector<double>& to) {
    const ConstPatchView now = patch.now();
    to.resize(static_cast<std::size_t>(now.components()) * kPatchPoints);
    double* at = to.data();
    for (int component = 0; component < now.components(); ++component, at += kPatchPoints) {
      Eigen::Map<FieldArray>(at, kPatchSize, kPatchSize) = now.interior(component);
    }
  }
  static void put_back(const std::vector<double>& from, Patch& patch) {
    const PatchView now = patch.now();
    const double* at = from.data();
    for (int component = 0; component < now.components(); ++component, at += kPatchPoints) {
      now.interior(component) = Eigen::Map<const FieldArray>(at, kPatchSize, kPatchSize);
    }
  }

  PatchTable<std::vector<double>> values_;
  PatchTable<PatchMotion> motion_;
};

}  // namespace kumiko::amr
