// The values of a rank's own patches, computed by the backend's workers.
#pragma once

#include <cstdint>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// A patch, and which of its quadrants are covered.
struct PartlyCovered {
  const Patch& patch;
  unsigned covered;
};

/// The parts of all ranks: each lists those of a patch of its own by item, patches in parallel.
/// Call inside Backend::run().
/// \param list  void(const PartlyCovered&, std::vector<PatchValue<Value>>& to)
template <class Value, class List>
std::vector<PatchValue<Value>> collect_parts(const Hierarchy& hierarchy, Backend& backend,
                                             Communicator& communicator, List list) {
  const Mesh<2>& mesh = hierarchy.mesh();
  std::vector<PatchValue<Value>> own;
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    const Level& level = hierarchy.level(index);
    const std::vector<std::uint8_t> covered = mesh.covered_quadrants(index);
    std::vector<std::vector<PatchValue<Value>>> parts(level.size());
    backend.for_each(level, [&](std::size_t slot, int) {
      list({level.patch(slot), covered[slot]}, parts[slot]);
    });
    for (const auto& of_patch : parts) own.insert(own.end(), of_patch.begin(), of_patch.end());
  }
  return collect(communicator, std::move(own));
}

}  // namespace kumiko::amr
