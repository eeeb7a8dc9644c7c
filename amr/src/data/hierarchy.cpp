#include <algorithm>
#include <limits>
#include <utility>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

/// Places on every level are numbered in ints.
void check(const Geometry& geometry, int max_levels) {
  require(max_levels >= 1 && max_levels <= kLargestLevelCount,
          "{} levels asked for; 1 to {} are possible", max_levels, kLargestLevelCount);
  constexpr int kMost = std::numeric_limits<int>::max();
  const int most = kMost >> (max_levels - 1);
  const int points = std::max(geometry.points_x(0), geometry.points_y(0));
  require(points <= most,
          "the base grid has {} points along an axis, the finest of {} levels more than {}; take "
          "fewer levels or {} points at most",
          points, max_levels, kMost, most / kPatchSize * kPatchSize);
}

}  // namespace

Hierarchy::Hierarchy(Geometry geometry, int max_levels, const PatchShape& shape)
    : geometry_((check(geometry, max_levels), geometry)),
      mesh_(geometry.base_grid()),
      plan_(shape.ghosts),
      shape_(shape),
      pool_(shape.total_values()) {
  levels_.resize(static_cast<std::size_t>(max_levels));
  for (int index = 0; index < max_levels; ++index) {
    level(index).patches_y_ = geometry_.patches_y(index);
  }
  rebuild(0, level_difference<PatchId>({}, mesh_.ids(0)));
}

Hierarchy::~Hierarchy() = default;

std::vector<std::size_t> Hierarchy::change(int index, std::vector<PatchId> wanted) {
  std::sort(wanted.begin(), wanted.end());
  const LevelDifference changes = level_difference<PatchId>(mesh_.ids(index), wanted);
  std::vector<std::int32_t> owners(wanted.size());
  for (const auto& [old, slot] : changes.kept) owners[slot] = mesh_.owners(index)[old];
  for (const std::size_t slot : changes.created) {
    const std::int32_t parent = mesh_.find(wanted[slot].parent());
    if (parent >= 0) owners[slot] = mesh_.owners(index - 1)[static_cast<std::size_t>(parent)];
  }
  mesh_.assign(index, std::move(wanted), std::move(owners));
  return rebuild(index, changes);
}

void Hierarchy::set_owners(int index, std::vector<std::int32_t> owners) {
  const std::span<const PatchId> ids = mesh_.ids(index);
  mesh_.assign(index, {ids.begin(), ids.end()}, std::move(owners));
}

/// Makes the data of a level that of the mesh's patches.
/// \return slots of the patches that came
std::vector<std::size_t> Hierarchy::rebuild(int index, const LevelDifference& changes) {
  Level& changed = level(index);
  // Those that go return their memory before those that come ask for it.
  for (const std::size_t slot : changes.removed) pool_.release(changed.patch(slot).memory());
  std::vector<std::unique_ptr<Patch>> patches(mesh_.size(index));
  for (const auto& [old, slot] : changes.kept) patches[slot] = std::move(changed.patches_[old]);
  const std::span<const PatchId> ids = mesh_.ids(index);
  for (const std::size_t slot : changes.created) {
    patches[slot] = std::make_unique<Patch>(ids[slot], shape_, pool_.acquire());
  }
  changed.patches_ = std::move(patches);
  plan_.update(mesh_, index);
  if (index + 1 < max_levels()) {
    std::vector<PatchId> keep;
    for (const PatchId& id : mesh_.ids(index + 1)) {
      if (mesh_.nests(id)) keep.push_back(id);
    }
    change(index + 1, std::move(keep));
  }
  return changes.created;
}

std::vector<LeafBlock> Hierarchy::leaf_blocks(int index) const {
  std::vector<LeafBlock> blocks;
  for (const LeafBox<2>& leaf : mesh_.leaf_boxes(index)) {
    blocks.push_back({&level(index).patch(leaf.slot), leaf.first[0], leaf.first[1], leaf.size});
  }
  return blocks;
}

MemoryUse Hierarchy::memory_use() const {
  MemoryUse use;
  use.patch_bytes = pool_.bytes();
  use.metadata_bytes = mesh_.memory_bytes() + plan_.memory_bytes();
  for (const Level& level : levels_) {
    use.points += level.size() * kPatchPoints;
    use.metadata_bytes += level.size() * (sizeof(level.patches_[0]) + sizeof(Patch));
  }
  return use;
}

}  // namespace kumiko::amr
