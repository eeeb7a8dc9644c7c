// The members of Mesh, for whoever instantiates them: mesh.cpp for two axes, the
// tests for three.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/require.hpp>

#include "mesh/mesh_parts_body.hpp"

namespace kumiko::amr {

namespace detail {

/// Slots are 32-bit numbers.
inline constexpr std::size_t kMostPatches = std::numeric_limits<std::int32_t>::max();

/// Whether a comes before b depth first, along Morton's curve: the axis whose indices differ in the
/// highest bit decides, of several the last one.
template <class Id>
bool is_before_on_curve(const Id& a, const Id& b) {
  const int finest = std::max(a.level, b.level);
  std::uint64_t highest = 0;
  bool before = a.level < b.level;
  for (int axis = Id::kAxes - 1; axis >= 0; --axis) {
    const auto at_a = static_cast<std::uint64_t>(a.along(axis)) << (finest - a.level);
    const auto at_b = static_cast<std::uint64_t>(b.along(axis)) << (finest - b.level);
    const std::uint64_t differ = at_a ^ at_b;
    const bool decides = highest < differ && highest < (highest ^ differ);
    if (!decides) continue;
    highest = differ;
    before = at_a < at_b;
  }
  return before;
}

/// The patches of level 0, if they can be.
template <int Axes>
std::size_t checked_patches(const BaseGrid<Axes>& base) {
  constexpr int kMost = std::numeric_limits<int>::max() / kPatchSize;
  std::size_t patches = 1;
  for (std::size_t axis = 0; axis < Axes; ++axis) {
    const int count = base.patches[axis];
    require(count > 0 && count <= kMost,
            "the base grid has {} patches along axis {}; it needs 1 to {}", count, axis, kMost);
    require(base.extent[axis] > 0.0 && std::isfinite(base.extent[axis]),
            "the domain has an extent of {} along axis {}; it must be above 0", base.extent[axis],
            axis);
    patches *= static_cast<std::size_t>(count);
    require(patches <= kMostPatches, "the base grid has more than {} patches", kMostPatches);
  }
  return patches;
}

}  // namespace detail

template <int Axes>
Mesh<Axes>::Mesh(const BaseGrid<Axes>& base) : base_(base) {
  std::vector<Id> ids(detail::checked_patches(base));
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    std::size_t rest = slot;
    for (int axis = 0; axis < Axes; ++axis) {
      const auto count = static_cast<std::size_t>(base.patches_along(axis, 0));
      ids[slot].along(axis) = static_cast<int>(rest % count);
      rest /= count;
    }
  }
  assign(0, std::move(ids));
}

template <int Axes>
auto Mesh<Axes>::ids(int level) const -> std::span<const Id> {
  if (level < 0 || level >= levels()) return {};
  return levels_[static_cast<std::size_t>(level)].ids;
}

template <int Axes>
std::span<const std::int32_t> Mesh<Axes>::ranks(int level) const {
  if (level < 0 || level >= levels()) return {};
  return levels_[static_cast<std::size_t>(level)].ranks;
}

template <int Axes>
void Mesh<Axes>::check(int level, const std::vector<Id>& ids, std::size_t ranks) const {
  require(level >= 0 && level < kLargestLevelCount, "a mesh has levels 0 to {}, not a level {}",
          kLargestLevelCount - 1, level);
  require(ids.empty() || level <= levels(), "level {} gets patches, but level {} has none", level,
          level - 1);
  require(ids.size() <= detail::kMostPatches, "level {} asks for {} patches; {} are possible",
          level, ids.size(), detail::kMostPatches);
  require(ranks == 0 || ranks == ids.size(), "level {} has {} patches, but {} ranks", level,
          ids.size(), ranks);
  for (int axis = 0; axis < Axes && !ids.empty(); ++axis) {
    require(base_.patches_along(axis, 0) <= std::numeric_limits<int>::max() / kPatchSize >> level,
            "level {} has more points along an axis than can be counted; use fewer levels", level);
  }
  // Each patch is checked at every regrid: nothing is formatted for those that may be.
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    const bool fits = ids[slot].level == level && base_.inside(ids[slot]);
    if (!fits) require(fits, "level {} cannot have {}", level, to_string(ids[slot]));
    const bool follows = slot == 0 || ids[slot - 1] < ids[slot];
    if (!follows) require(follows, "{} is there twice, or out of order", to_string(ids[slot]));
  }
  const std::size_t whole = detail::checked_patches(base_);
  require(level > 0 || ids.size() == whole,
          "level 0 has {} of {} patches; it must cover the domain", ids.size(), whole);
}

template <int Axes>
std::vector<std::int32_t> Mesh<Axes>::rows_of(int level, const std::vector<Id>& ids) const {
  const int count = ids.empty() ? 0 : base_.patches_along(Axes - 1, level);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count) + 1, 0);
  for (const Id& id : ids) ++rows[static_cast<std::size_t>(id.along(Axes - 1)) + 1];
  std::partial_sum(rows.begin(), rows.end(), rows.begin());
  return rows;
}

template <int Axes>
void Mesh<Axes>::assign(int level, std::vector<Id> ids, std::vector<std::int32_t> ranks) {
  check(level, ids, ranks.size());
  if (ranks.empty()) ranks.resize(ids.size(), 0);
  std::vector<std::int32_t> rows = rows_of(level, ids);
  std::vector<RowKey> keys(ids.size());
  std::transform(ids.begin(), ids.end(), keys.begin(), key_of);
  const auto at = static_cast<std::size_t>(level);
  if (at >= levels_.size()) levels_.resize(at + 1);
  levels_[at] = {std::move(ids), std::move(ranks), std::move(keys), std::move(rows)};
  while (levels_.size() > 1 && levels_.back().ids.empty()) levels_.pop_back();
}

template <int Axes>
auto Mesh<Axes>::key_of(const Id& id) -> RowKey {
  RowKey key = 0;
  for (int axis = Axes - 2; axis >= 0; --axis) {
    if constexpr (Axes > 2) key <<= 32;
    key += id.along(axis);
  }
  return key;
}

template <int Axes>
std::int32_t Mesh<Axes>::find(const Id& id) const {
  if (id.level < 0 || id.level >= levels()) return -1;
  const LevelList& level = levels_[static_cast<std::size_t>(id.level)];
  const int row = id.along(Axes - 1);
  if (row < 0 || row + 1 >= static_cast<int>(level.rows.size())) return -1;
  const RowKey* const keys = level.keys.data();
  const RowKey* const begin = keys + level.rows[static_cast<std::size_t>(row)];
  const RowKey* const end = keys + level.rows[static_cast<std::size_t>(row) + 1];
  const RowKey key = key_of(id);
  if (begin == end || key < *begin || key > *(end - 1)) return -1;
  // Where it stands if the row has no gaps before it.
  const RowKey* const guess = begin + std::min<std::ptrdiff_t>(key - *begin, end - begin - 1);
  if (*guess == key) return static_cast<std::int32_t>(guess - keys);
  const RowKey* const found = std::lower_bound(begin, guess, key);
  return *found == key ? static_cast<std::int32_t>(found - keys) : -1;
}

template <int Axes>
auto Mesh<Axes>::children(const Id& id) const -> std::array<std::int32_t, std::size_t{1} << Axes> {
  std::array<std::int32_t, std::size_t{1} << Axes> slots{};
  int quadrant = 0;
  for (std::int32_t& slot : slots) slot = find(child_of(id, quadrant++));
  return slots;
}

template <int Axes>
auto Mesh<Axes>::missing_support(const Id& id) const -> std::optional<Id> {
  const Id parent = parent_of(id);
  if (find(parent) < 0) return parent;
  // The neighbours' places lie in the parent and in its own neighbours on the patch's side of it.
  for (int axes = 1; axes < kQuadrants; ++axes) {
    std::array<int, Axes> offset{};
    for (int axis = 0; axis < Axes; ++axis) {
      if ((axes >> axis & 1) == 0) continue;
      offset[static_cast<std::size_t>(axis)] = (id.along(axis) & 1) == 0 ? -1 : 1;
    }
    const std::optional<Id> place = base_.neighbour(parent, offset);
    if (place && find(*place) < 0) return place;
  }
  return std::nullopt;
}

template <int Axes>
auto Mesh<Axes>::unnested() const -> std::vector<Unnested<Id>> {
  std::vector<Unnested<Id>> patches;
  for (int level = 1; level < levels(); ++level) {
    for (const Id& id : ids(level)) {
      if (const auto missing = missing_support(id)) patches.push_back({id, *missing});
    }
  }
  return patches;
}

template <int Axes>
std::vector<std::uint8_t> Mesh<Axes>::covered_quadrants(int level) const {
  static_assert(Axes <= 3, "eight quadrants have a bit each");
  const std::span<const Id> patches = ids(level);
  std::vector<std::uint8_t> covered(patches.size(), 0);
  auto at = patches.begin();
  for (const Id& id : ids(level + 1)) {
    const Id parent = parent_of(id);
    // Most often it is the one that was found last, or the one after it.
    if (at != patches.end() && *at < parent) ++at;
    if (at == patches.end() || *at != parent) {
      at = std::lower_bound(patches.begin(), patches.end(), parent);
    }
    if (at == patches.end() || *at != parent) continue;
    const auto slot = static_cast<std::size_t>(at - patches.begin());
    covered[slot] = static_cast<std::uint8_t>(covered[slot] | 1U << quadrant_of(id));
  }
  return covered;
}

template <int Axes>
std::vector<LeafBox<Axes>> Mesh<Axes>::leaf_boxes(int level) const {
  const std::vector<std::uint8_t> covered = covered_quadrants(level);
  std::vector<LeafBox<Axes>> boxes;
  boxes.reserve(covered.size());
  for (std::size_t slot = 0; slot < covered.size(); ++slot) {
    if (covered[slot] == 0) {
      boxes.push_back({slot, {}, kPatchSize});
      continue;
    }
    for_each_leaf_quadrant<Axes>(covered[slot], [&](int quadrant) {
      LeafBox<Axes>& box = boxes.emplace_back(LeafBox<Axes>{slot, {}, kQuadrantSize});
      int axis = 0;
      for (int& first : box.first) first = quadrant_begin(quadrant, axis++);
    });
  }
  return boxes;
}

template <int Axes>
std::vector<std::pair<std::size_t, Box<Axes>>> Mesh<Axes>::intersections(
    const Box<Axes>& box) const {
  std::vector<std::pair<std::size_t, Box<Axes>>> parts;
  if (box.empty() || box.level < 0 || box.level >= levels()) return parts;
  Id low{};
  Id high{};
  low.level = high.level = box.level;
  for (int axis = 0; axis < Axes; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const int last = base_.patches_along(axis, box.level) - 1;
    if (box.end[at] <= 0 || box.begin[at] >= (last + 1) * kPatchSize) return parts;
    low.along(axis) = std::max(box.begin[at], 0) / kPatchSize;
    high.along(axis) = std::min((box.end[at] - 1) / kPatchSize, last);
  }
  const LevelList& level = levels_[static_cast<std::size_t>(box.level)];
  for (int row = low.along(Axes - 1); row <= high.along(Axes - 1); ++row) {
    const auto end = level.keys.begin() + level.rows[static_cast<std::size_t>(row) + 1];
    auto key = std::lower_bound(level.keys.begin() + level.rows[static_cast<std::size_t>(row)], end,
                                key_of(low));
    for (; key != end && *key <= key_of(high); ++key) {
      const auto slot = static_cast<std::size_t>(key - level.keys.begin());
      const Box<Axes> part = box & box_of(level.ids[slot]);
      if (!part.empty()) parts.emplace_back(slot, part);
    }
  }
  return parts;
}

template <int Axes>
auto Mesh<Axes>::space_filling_order() const -> std::vector<Id> {
  std::vector<Id> all;
  for (const LevelList& level : levels_) all.insert(all.end(), level.ids.begin(), level.ids.end());
  std::sort(all.begin(), all.end(), detail::is_before_on_curve<Id>);
  return all;
}

template <int Axes>
std::size_t Mesh<Axes>::memory_bytes() const {
  std::size_t bytes = 0;
  for (const LevelList& level : levels_) {
    bytes += level.ids.capacity() * sizeof(Id) + level.keys.capacity() * sizeof(RowKey) +
             (level.ranks.capacity() + level.rows.capacity()) * sizeof(std::int32_t);
  }
  return bytes;
}

template <int Axes>
std::vector<LevelDifference> difference(const Mesh<Axes>& before, const Mesh<Axes>& after) {
  require(before.base() == after.base(), "two meshes of different base grids are compared");
  std::vector<LevelDifference> levels;
  for (int level = 0; level < std::max(before.levels(), after.levels()); ++level) {
    using Id = typename Mesh<Axes>::Id;
    levels.push_back(level_difference<Id>(before.ids(level), after.ids(level)));
  }
  return levels;
}

}  // namespace kumiko::amr
