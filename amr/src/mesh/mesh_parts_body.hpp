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
