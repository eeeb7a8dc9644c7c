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
          "the base grid has {} points along an axis, and the finest of {} levels has more than "
          "{}; use fewer levels, or at most {} points",
          points, max_levels, kMost, most / kPatchSize * kPatchSize);
}

}  // namespace

Hierarchy::Hierarchy(Geometry geometry, int max_levels, const PatchShape& shape, std::int32_t rank,
                     std::vector<std::int32_t> base_ranks)
    : geometry_((check(geometry, max_levels), geometry)),
      mesh_(geometry.base_grid()),
      plan_(shape.ghosts),
      shape_(shape),
      rank_(rank),
      pool_(shape.total_values()) {
  if (!base_ranks.empty()) {
    mesh_.assign(0, {mesh_.ids(0).begin(), mesh_.ids(0).end()}, std::move(base_ranks));
  }
  levels_.resize(static_cast<std::size_t>(max_levels));
  for (int index = 0; index < max_levels; ++index) {
    level(index).patches_y_ = geometry_.patches_y(index);
  }
  rebuild(0, level_difference<PatchId>({}, mesh_.ids(0)));
}

std::vector<std::size_t> Hierarchy::change(int index, std::vector<PatchId> wanted) {
  if (!std::is_sorted(wanted.begin(), wanted.end())) std::sort(wanted.begin(), wanted.end());
  const LevelDifference changes = level_difference<PatchId>(mesh_.ids(index), wanted);
  if (changes.created.empty() && changes.removed.empty()) return {};
  std::vector<PatchId> removed;
  for (const std::size_t old : changes.removed) removed.push_back(mesh_.ids(index)[old]);
  std::vector<std::int32_t> ranks(wanted.size());
  for (const auto& [old, slot] : changes.kept) ranks[slot] = mesh_.ranks(index)[old];
  for (const std::size_t slot : changes.created) {
    const std::int32_t parent = mesh_.find(wanted[slot].parent());
    if (parent >= 0) ranks[slot] = mesh_.ranks(index - 1)[static_cast<std::size_t>(parent)];
  }
  mesh_.assign(index, std::move(wanted), std::move(ranks));
  rebuild(index, changes);
  drop_unnested(index + 1, removed);
  return changes.created;
}

/// Takes those patches from a level that need one which has gone from the level below.
void Hierarchy::drop_unnested(int index, const std::vector<PatchId>& gone) {
  std::vector<std::size_t> dropped;
  for (const PatchId& id : gone) {
    // Children of its own, and those beside them.
    for (int place = 0; place < 16; ++place) {
      const auto beside = mesh_.base().neighbour(id.child(0), {place % 4 - 1, place / 4 - 1});
      const std::int32_t slot = beside ? mesh_.find(*beside) : -1;
      if (slot >= 0 && !mesh_.nests(*beside)) dropped.push_back(static_cast<std::size_t>(slot));
    }
  }
  if (dropped.empty()) return;
  std::vector<PatchId> keep(mesh_.ids(index).begin(), mesh_.ids(index).end());
  for (const std::size_t slot : dropped) keep[slot].level = -1;
  std::erase_if(keep, [](const PatchId& id) { return id.level < 0; });
  change(index, std::move(keep));
}

std::vector<std::size_t> Hierarchy::set_ranks(int index, std::vector<std::int32_t> ranks) {
  const std::span<const PatchId> ids = mesh_.ids(index);
  drop_shadows(index);
  mesh_.assign(index, {ids.begin(), ids.end()}, std::move(ranks));
  return take_own(index);
}

std::unique_ptr<Patch> Hierarchy::make_patch(const PatchId& id) {
  return std::make_unique<Patch>(id, shape_, pool_.acquire());
}

void Hierarchy::drop_shadows(int index) {
  for (Level::Patches& shadows : level(index).shadows_) {
    for (const std::unique_ptr<Patch>& shadow : shadows) {
      if (shadow) pool_.release(shadow->memory());
    }
    shadows.clear();
  }
}

void Hierarchy::set_shadows(int index, ReadState role, const std::vector<std::uint32_t>& slots) {
  Level::Patches& shadows = level(index).shadows(role);
  shadows.resize(mesh_.size(index));
  auto next = slots.begin();
  for (std::size_t slot = 0; slot < shadows.size(); ++slot) {
    const bool is_wanted = next != slots.end() && *next == slot;
    if (is_wanted) ++next;
    if (is_wanted == (shadows[slot] != nullptr)) continue;
    if (is_wanted) {
      shadows[slot] = make_patch(mesh_.ids(index)[slot]);
    } else {
      pool_.release(shadows[slot]->memory());
      shadows[slot].reset();
    }
  }
}

/// Gives this rank's patches of a level memory, and takes that of the others'.
std::vector<std::size_t> Hierarchy::take_own(int index) {
  Level& changed = level(index);
  const std::span<const PatchId> ids = mesh_.ids(index);
  const std::span<const std::int32_t> ranks = mesh_.ranks(index);
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    std::unique_ptr<Patch>& patch = changed.patches_[slot];
    if (ranks[slot] == rank_ || !patch) continue;
    pool_.release(patch->memory());
    patch.reset();
  }
  std::vector<std::size_t> came;
  changed.own_.clear();
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    if (ranks[slot] != rank_) continue;
    changed.own_.push_back(static_cast<std::uint32_t>(slot));
    if (changed.patches_[slot]) continue;
    changed.patches_[slot] = make_patch(ids[slot]);
    came.push_back(slot);
  }
  return came;
}

/// Makes the data and the plan of a level those of the mesh's patches.
void Hierarchy::rebuild(int index, const LevelDifference& changes) {
  Level& changed = level(index);
  // Those that go return their memory before those that come ask for it.
  drop_shadows(index);
  for (const std::size_t slot : changes.removed) {
    if (changed.patches_[slot]) pool_.release(changed.patch(slot).memory());
  }
  Level::Patches patches(mesh_.size(index));
  for (const auto& [old, slot] : changes.kept) patches[slot] = std::move(changed.patches_[old]);
  changed.patches_ = std::move(patches);
  take_own(index);
  plan_.update(mesh_, index, changes);
}

MemoryUse Hierarchy::memory_use() const {
  MemoryUse use;
  use.patch_bytes = pool_.bytes();
  use.metadata_bytes = mesh_.memory_bytes() + plan_.memory_bytes();
  for (const Level& level : levels_) {
    use.points += level.own().size() * kPatchPoints;
    use.metadata_bytes += level.patches_.size() * sizeof(level.patches_[0]) +
                          level.own().size() * (sizeof(Patch) + sizeof(level.own_[0]));
    for (const Level::Patches& shadows : level.shadows_) {
      use.metadata_bytes += shadows.size() * sizeof(shadows[0]);
    }
  }
  return use;
}

}  // namespace kumiko::amr
