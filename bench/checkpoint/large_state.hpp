// Makes a state that is larger than the caches, without a run.
#pragma once

#include <cmath>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/io/checkpoint.hpp>

namespace kumiko::bench {

/// A uniform grid of patches_x by patches_x / 2 patches, 2 KiB each.
inline amr::Geometry large_geometry(int patches_x) {
  const int points = patches_x * amr::kPatchSize;
  return {points, points / 2, {2.0, 1.0}, {}};
}

inline io::Checkpoint large_state(const amr::Geometry& geometry) {
  io::Checkpoint checkpoint{{}, {amr::Mesh<2>(geometry.base_grid())}};
  checkpoint.attributes.component_names = {"u"};
  amr::SavedLevel& level = checkpoint.run.levels.emplace_back();
  const std::size_t patches = checkpoint.run.mesh.size(0);
  level.histories.resize(patches);
  level.cfl.resize(patches);
  level.values.resize(patches * amr::kPatchPoints);
  for (std::size_t at = 0; at < level.values.size(); ++at) {
    level.values[at] = std::sin(1e-3 * static_cast<double>(at));
  }
  return checkpoint;
}

}  // namespace kumiko::bench
