// The functions of what a mesh consists of: ids, boxes, base grids and the lists of levels.
#pragma once

#include <algorithm>

#include <fmt/ranges.h>

#include <kumiko/amr/mesh.hpp>

namespace kumiko::amr {

template <int Axes>
std::string to_string(const BasicPatchId<Axes>& id) {
  return fmt::format("level {} patch ({})", id.level, fmt::join(id.index, ", "));
}

template <int Axes>
bool Box<Axes>::empty() const {
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    if (begin[axis] >= end[axis]) return true;
  }
  return false;
}

template <int Axes>
Box<Axes> Box<Axes>::operator&(const Box& other) const {
  Box both = *this;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    both.begin[axis] = std::max(begin[axis], other.begin[axis]);
    both.end[axis] = std::min(end[axis], other.end[axis]);
  }
  return both;
}

template <class Id>
std::vector<std::uint8_t> covered_quadrants(std::span<const Id> patches,
                                            std::span<const Id> finer) {
  static_assert(Id::kAxes <= 3, "eight quadrants have a bit each");
  std::vector<std::uint8_t> covered(patches.size(), 0);
  auto at = patches.begin();
  for (const Id& id : finer) {
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

template <class Id>
std::vector<LeafBox<Id::kAxes>> leaf_boxes(std::span<const Id> patches, std::span<const Id> finer) {
  const std::vector<std::uint8_t> covered = covered_quadrants(patches, finer);
  std::vector<LeafBox<Id::kAxes>> boxes;
  boxes.reserve(patches.size());
  for (std::size_t slot = 0; slot < patches.size(); ++slot) {
    if (covered[slot] == 0) {
      boxes.push_back({slot, {}, kPatchSize});
      continue;
    }
    for_each_leaf_quadrant<Id::kAxes>(covered[slot], [&](int quadrant) {
      LeafBox<Id::kAxes>& box = boxes.emplace_back(LeafBox<Id::kAxes>{slot, {}, kQuadrantSize});
      int axis = 0;
      for (int& first : box.first) first = quadrant_begin(quadrant, axis++);
    });
  }
  return boxes;
}

template <class Id>
Box<Id::kAxes> box_of(const Id& id) {
  return box_of(id, {0, {}, kPatchSize});
}

template <class Id>
Box<Id::kAxes> box_of(const Id& id, const LeafBox<Id::kAxes>& leaf) {
  Box<Id::kAxes> points{id.level, {}, {}};
  for (std::size_t axis = 0; axis < leaf.first.size(); ++axis) {
    points.begin[axis] = id.along(static_cast<int>(axis)) * kPatchSize + leaf.first[axis];
    points.end[axis] = points.begin[axis] + leaf.size;
  }
  return points;
}

template <class Id>
LevelDifference level_difference(std::span<const Id> before, std::span<const Id> after) {
  LevelDifference changes;
  std::size_t old = 0;
  for (std::size_t slot = 0; slot < after.size(); ++slot) {
    while (old < before.size() && before[old] < after[slot]) changes.removed.push_back(old++);
    if (old < before.size() && before[old] == after[slot]) {
      changes.kept.emplace_back(old++, slot);
    } else {
      changes.created.push_back(slot);
    }
  }
  while (old < before.size()) changes.removed.push_back(old++);
  return changes;
}

}  // namespace kumiko::amr
