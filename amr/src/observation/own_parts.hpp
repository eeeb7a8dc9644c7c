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

/// Calls visit(i, j) for the leaf points of a patch, quadrant by quadrant, for whole patches too:
/// so a sum has the same order wherever its neighbours are refined.
template <class Visit>
void for_each_leaf(unsigned covered, Visit visit) {
  for_each_leaf_quadrant<2>(covered, [&](int quadrant) {
    const int i0 = quadrant_begin(quadrant, 0);
    const int j0 = quadrant_begin(quadrant, 1);
    for (int j = j0; j < j0 + kQuadrantSize; ++j) {
      for (int i = i0; i < i0 + kQuadrantSize; ++i) visit(i, j);
    }
  });
}

/// Figures of each component: of every patch in parallel, joined in canonical order, so that the
/// bits depend neither on who computed them nor on who owns the patches.
/// \param compute  Figure(const PartlyCovered&, int component)
template <class Figure, class Compute>
std::vector<Figure> reduce_parts(const Hierarchy& hierarchy, Backend& backend,
                                 Communicator& communicator, Compute compute) {
  const int components = hierarchy.shape().components;
  std::vector<Figure> total(static_cast<std::size_t>(components));
  backend.run([&] {
    const auto list = [&](const PartlyCovered& leaves, std::vector<PatchValue<Figure>>& to) {
      for (int component = 0; component < components; ++component) {
        to.push_back({leaves.patch.id(), component, compute(leaves, component)});
      }
    };
    for (const auto& part : collect_parts<Figure>(hierarchy, backend, communicator, list)) {
      total[static_cast<std::size_t>(part.item)] += part.value;
    }
  });
  return total;
}

}  // namespace kumiko::amr
