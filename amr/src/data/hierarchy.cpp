#include <algorithm>
#include <limits>
#include <numeric>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

/// Of a level: slots are 32-bit numbers.
constexpr std::size_t kMostPatches = std::numeric_limits<std::int32_t>::max();

std::vector<PatchId> whole_base_level(const Geometry& geometry) {
  std::vector<PatchId> ids;
  for (int j = 0; j < geometry.patches_y(0); ++j) {
    for (int i = 0; i < geometry.patches_x(0); ++i) ids.push_back({0, i, j});
  }
  return ids;
}

/// Places on every level are numbered in ints.
void check_finest_points(const Geometry& geometry, int max_levels) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const int most = kMost >> (max_levels - 1);
  const int points = std::max(geometry.points_x(0), geometry.points_y(0));
  require(points <= most,
          "the base grid has {} points along an axis, the finest of {} levels more than {}; take "
          "fewer levels or {} points at most",
          points, max_levels, kMost, most / kPatchSize * kPatchSize);
}

}  // namespace

std::int32_t Level::find(const PatchId& id) const {
  if (id.j < 0 || id.j >= patches_y_) return -1;
  const auto row = static_cast<std::size_t>(id.j);
  const auto begin = columns_.begin() + rows_[row];
  const auto end = columns_.begin() + rows_[row + 1];
  const auto found = std::lower_bound(begin, end, id.i);
  if (found == end || *found != id.i) return -1;
  return static_cast<std::int32_t>(found - columns_.begin());
}

void Level::index_patches() {
  columns_.resize(size());
  rows_.assign(static_cast<std::size_t>(patches_y_) + 1, 0);
  for (std::size_t slot = 0; slot < size(); ++slot) {
    const PatchId& id = patch(slot).id();
    columns_[slot] = id.i;
    ++rows_[static_cast<std::size_t>(id.j) + 1];
  }
  std::partial_sum(rows_.begin(), rows_.end(), rows_.begin());
}

Hierarchy::Hierarchy(Geometry geometry, int max_levels, const PatchShape& shape)
    : geometry_(geometry), shape_(shape), pool_(shape.total_values()) {
  require(max_levels >= 1 && max_levels <= kLargestLevelCount,
          "{} levels asked for; 1 to {} are possible", max_levels, kLargestLevelCount);
  check_finest_points(geometry, max_levels);
  levels_.resize(static_cast<std::size_t>(max_levels));
  for (int index = 0; index < max_levels; ++index) {
    level(index).patches_y_ = geometry_.patches_y(index);
    level(index).index_patches();
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
  require(wanted.size() <= kMostPatches, "level {} asks for {} patches; {} are possible", index,
          wanted.size(), kMostPatches);
  std::sort(wanted.begin(), wanted.end());
  Level& changed = level(index);
  std::vector<std::unique_ptr<Patch>> patches;
  std::vector<std::size_t> came;
  patches.reserve(wanted.size());
  // Those that go return their memory before those that come ask for it.
  for (std::unique_ptr<Patch>& patch : changed.patches_) {
    if (std::binary_search(wanted.begin(), wanted.end(), patch->id())) continue;
    pool_.release(patch->memory());
    patch.reset();
  }
  // Both lists are sorted: what is left of the old one is in the new one.
  std::size_t old = 0;
  for (const PatchId& id : wanted) {
    while (old < changed.size() && changed.patches_[old] == nullptr) ++old;
    if (old < changed.size() && changed.patches_[old]->id() == id) {
      patches.push_back(std::move(changed.patches_[old++]));
    } else {
      came.push_back(patches.size());
      patches.push_back(std::make_unique<Patch>(id, shape_, pool_.acquire()));
    }
  }

  changed.patches_ = std::move(patches);
  changed.index_patches();
  connect_ghosts(index);
  if (index > 0) connect_children(index - 1);
  if (index + 1 < max_levels()) {
    std::vector<PatchId> keep;
    for (const auto& patch : level(index + 1).patches_) {
      if (nests(patch->id())) keep.push_back(patch->id());
    }
    change(index + 1, std::move(keep));
  }
  return came;
}

void Hierarchy::connect_ghosts(int index) {
  Level& own = level(index);
  for (const auto& patch : own.patches_) {
    patch->parent_slot = index > 0 ? level(index - 1).find(patch->id().parent()) : -1;
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

bool Hierarchy::nests(const PatchId& id) const {
  const Level& coarser = level(id.level - 1);
  if (coarser.find(id.parent()) < 0) return false;
  return std::all_of(kDirections.begin(), kDirections.end(), [&](const Direction& d) {
    const PatchId neighbour = geometry_.wrap({id.level, id.i + d.dx, id.j + d.dy});
    return !geometry_.inside(neighbour) || coarser.find(neighbour.parent()) >= 0;
  });
}

bool Hierarchy::properly_nested() const {
  for (int index = 1; index < max_levels(); ++index) {
    for (const auto& patch : level(index).patches_) {
      if (!nests(patch->id())) return false;
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

MemoryUse Hierarchy::memory_use() const {
  MemoryUse use;
  use.patch_bytes = pool_.bytes();
  for (const Level& level : levels_) {
    use.points += level.size() * kPatchPoints;
    use.metadata_bytes += level.lookup_bytes();
    for (const auto& patch : level.patches_) {
      use.metadata_bytes += sizeof(patch) + sizeof(*patch) +
                            patch->ghost_coefficients.values.capacity() * sizeof(double);
    }
  }
  return use;
}

}  // namespace kumiko::amr
