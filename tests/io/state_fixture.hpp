// A mesh with whole, partly and fully covered patches, and a field that is exact in doubles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/io/hdf5_writer.hpp>

namespace kumiko::io::test {

inline constexpr int kComponents = 2;

/// (component + 1) (1 + 2x + 3y²); read_state.py has the same. Sums of few powers of two.
inline double exact(double x, double y, int component) {
  return (component + 1) * (1.0 + 2.0 * x + 3.0 * y * y);
}

/// Sets every point of every level.
inline void fill(amr::Hierarchy& hierarchy) {
  const amr::Geometry& geometry = hierarchy.geometry();
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    amr::Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      amr::Patch& patch = level.patch(slot);
      for (int point = 0; point < kComponents * amr::kPatchPoints; ++point) {
        const int component = point / amr::kPatchPoints;
        const int i = point % amr::kPatchSize;
        const int j = point / amr::kPatchSize % amr::kPatchSize;
        const double x = geometry.coordinate(index, patch.id().i * amr::kPatchSize + i);
        const double y = geometry.coordinate(index, patch.id().j * amr::kPatchSize + j);
        patch.now()(i, j, component) = exact(x, y, component);
      }
    }
  }
}

/// Three levels on 64 × 32 points over [0, 2] × [0, 1].
inline std::unique_ptr<amr::Hierarchy> example_hierarchy() {
  auto hierarchy = std::make_unique<amr::Hierarchy>(amr::Geometry(64, 32, {2.0, 1.0}, {}), 3,
                                                    amr::PatchShape{kComponents, 2, 0});
  std::vector<amr::PatchId> ids;
  for (int j = 0; j < 4; ++j) {
    for (int i = 1; i < 6; ++i) ids.push_back({1, i, j});
  }
  hierarchy->change(1, ids);
  hierarchy->change(2, {{2, 4, 3}, {2, 5, 3}, {2, 6, 3}, {2, 7, 3}, {2, 6, 4}, {2, 7, 4}});
  fill(*hierarchy);
  return hierarchy;
}

inline StateAttributes example_attributes() {
  return {7, 0.125, 0.5, "[grid]\nbase = [64, 32]\n", {"u", "w"}};
}

}  // namespace kumiko::io::test
