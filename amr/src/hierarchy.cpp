#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

namespace {

constexpr int kLargestLevelCount = 8;

std::vector<PatchId> whole_base_level(const Geometry& geometry) {
  std::vector<PatchId> ids;
  for (int j = 0; j < geometry.patches_y(0); ++j) {
    for (int i = 0; i < geometry.patches_x(0); ++i) ids.push_back({0, i, j});
  }
  return ids;
}

}  // namespace

Hierarchy::Hierarchy(Geometry geometry, int max_levels, const PatchShape& shape)
    : geometry_(geometry), shape_(shape), pool_(shape.total_values()) {
  if (max_levels < 1 || max_levels > kLargestLevelCount) {
    throw std::invalid_argument(
        fmt::format("{} levels asked for; 1 to {} are possible", max_levels, kLargestLevelCount));
  }
  levels_.resize(static_cast<std::size_t>(max_levels));
  for (int index = 0; index < max_levels; ++index) {
    level(index).patches_y_ = geometry_.patches_y(index);
  }
  change(0, whole_base_level(geometry_));
}

Hierarchy::~Hierarchy() = default;

int Hierarchy::used_levels() const {
  int used = max_levels();
  while (used > 1 && level(used - 1).empty()) --used;
  return used;
}

std::vector<std::size_t> Hierarchy::change(int index, std::vector<PatchId> wanted) {
  std::sort(wanted.begin(), wanted.end());
  Level& changed = level(index);
  std::vector<std::unique_ptr<Patch>> patches;
  std::vector<std::size_t> came;
  patches.reserve(wanted.size());
  // Both lists are sorted: one pass takes over what stays, frees what goes and makes what comes.
  std::size_t old = 0;
  const auto release_before = [&](const PatchId* stop) {
    while (old < changed.size() && (stop == nullptr || changed.patches_[old]->id() < *stop)) {
      pool_.release(changed.patches_[old]->memory());
      changed.patches_[old++].reset();
    }
  };
  for (const PatchId& id : wanted) {
    release_before(&id);
    if (old < changed.size() && changed.patches_[old]->id() == id) {
      patches.push_back(std::move(changed.patches_[old++]));
    } else {
      came.push_back(patches.size());
      patches.push_back(std::make_unique<Patch>(id, shape_, pool_.acquire()));
    }
  }
  release_before(nullptr);

  changed.patches_ = std::move(patches);
  changed.slots_.clear();
  changed.slots_.reserve(changed.size());
  for (std::size_t slot = 0; slot < changed.size(); ++slot) {
    changed.slots_.emplace(changed.patch(slot).id(), static_cast<std::int32_t>(slot));
  }
  connect_ghosts(index);
  if (index > 0) connect_children(index - 1);
  if (index + 1 < max_levels()) {
    std::vector<PatchId> keep;
    for (const auto& patch : level(index + 1).patches_) {
      if (changed.find(patch->id().parent()) >= 0) keep.push_back(patch->id());
    }
    change(index + 1, std::move(keep));
  }
  return came;
}

void Hierarchy::connect_ghosts(int index) {
  Level& own = level(index);
  for (const auto& patch : own.patches_) {
    for (std::size_t d = 0; d < kDirections.size(); ++d) {
      GhostSource& source = patch->ghost_sources[d];
      const PatchId neighbour = geometry_.wrap(
          {index, patch->id().i + kDirections[d].dx, patch->id().j + kDirections[d].dy});
      source = {};
      if (!geometry_.inside(neighbour)) continue;
      source.source = neighbour;
      source.slot = own.find(neighbour);
      source.kind = GhostSource::Kind::kSibling;
      if (source.slot >= 0) continue;
      source.kind = GhostSource::Kind::kCoarse;
      source.source = neighbour.parent();
      source.quadrant = static_cast<std::uint8_t>(neighbour.quadrant());
      source.slot = level(index - 1).find(source.source);
    }
  }
}

void Hierarchy::connect_children(int index) {
  const Level& finer = level(index + 1);
  for (const auto& patch : level(index).patches_) {
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      patch->children[static_cast<std::size_t>(quadrant)] = finer.find(patch->id().child(quadrant));
    }
  }
}

bool Hierarchy::properly_nested() const {
  for (int index = 1; index < max_levels(); ++index) {
    const Level& coarser = level(index - 1);
    for (const auto& patch : level(index).patches_) {
      if (coarser.find(patch->id().parent()) < 0) return false;
      for (const Direction& d : kDirections) {
        const PatchId neighbour =
            geometry_.wrap({index, patch->id().i + d.dx, patch->id().j + d.dy});
        if (geometry_.inside(neighbour) && coarser.find(neighbour.parent()) < 0) return false;
      }
    }
  }
  return true;
}

std::vector<LeafBlock> Hierarchy::leaf_blocks(int index) const {
  std::vector<LeafBlock> blocks;
  for (const auto& patch : level(index).patches_) {
    if (!patch->has_children()) {
      blocks.push_back({patch.get(), 0, 0, kPatchSize});
      continue;
    }
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      if (patch->children[static_cast<std::size_t>(quadrant)] >= 0) continue;
      blocks.push_back({patch.get(), (quadrant & 1) * kQuadrantSize,
                        (quadrant >> 1) * kQuadrantSize, kQuadrantSize});
    }
  }
  return blocks;
}

}  // namespace kumiko::amr
