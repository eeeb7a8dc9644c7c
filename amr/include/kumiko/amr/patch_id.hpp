// The identity of a patch: global, small, cheap to compare.
#pragma once

#include <array>
#include <string>
#include <tuple>

namespace kumiko::amr {

/// Points along one side of a patch.
inline constexpr int kPatchSize = 16;
/// Points along one side of a quadrant: the part of a patch that one child covers.
inline constexpr int kQuadrantSize = kPatchSize / 2;
/// Interior points of a patch.
inline constexpr int kPatchPoints = kPatchSize * kPatchSize;
/// Refinement ratio between neighbouring levels.
inline constexpr int kRefinementRatio = 2;
/// The number of axes of the fields in patches. A mesh may have any number (mesh.hpp). Code that
/// computes on points requires two by static_assert (docs/decisions/024-mesh-as-a-value.md).
inline constexpr int kAxes = 2;
/// The largest number of levels of a mesh, level 0 included.
inline constexpr int kLargestLevelCount = 8;
/// The largest number of points of level 0 along an axis.
inline constexpr int kMostBasePoints = 65536;

// The arithmetic of a tree of patches. An Id has a level and its index along() each of kAxes axes,
// x first. A quadrant's number has bit a set where it is the upper half along axis a.

/// The patch one level below that contains this one. Requires level > 0.
template <class Id>
constexpr Id parent_of(Id id) {
  --id.level;
  for (int axis = 0; axis < Id::kAxes; ++axis) id.along(axis) >>= 1;
  return id;
}

/// Which quadrant of its parent a patch covers.
template <class Id>
constexpr int quadrant_of(const Id& id) {
  int quadrant = 0;
  for (int axis = 0; axis < Id::kAxes; ++axis) quadrant |= (id.along(axis) & 1) << axis;
  return quadrant;
}

/// The patch one level above that covers the given quadrant.
template <class Id>
constexpr Id child_of(Id id, int quadrant) {
  ++id.level;
  for (int axis = 0; axis < Id::kAxes; ++axis) {
    id.along(axis) = 2 * id.along(axis) + (quadrant >> axis & 1);
  }
  return id;
}

/// The first point of a quadrant along an axis, counted within its patch: 0 or 8.
constexpr int quadrant_begin(int quadrant, int axis) {
  return kQuadrantSize * (quadrant >> axis & 1);
}

/// Patch (i, j) of a level holds the level's points 16i..16i+15 by 16j..16j+15.
/// Ordered by level, then j, then i: the canonical order of every reduction and file.
struct PatchId {
  static constexpr int kAxes = 2;

  int level = 0;
  int i = 0;
  int j = 0;

  /// The index along an axis: 0 is x, 1 is y.
  constexpr int& along(int axis) { return axis == 0 ? i : j; }
  constexpr int along(int axis) const { return axis == 0 ? i : j; }

  friend constexpr bool operator==(const PatchId&, const PatchId&) = default;
  friend constexpr bool operator<(const PatchId& a, const PatchId& b) {
    return std::tie(a.level, a.j, a.i) < std::tie(b.level, b.j, b.i);
  }

  /// The patch one level below that contains this one. Requires level > 0.
  constexpr PatchId parent() const { return parent_of(*this); }
  /// Which quadrant of its parent this patch covers: 0 lower left, 1 lower right, 2 upper left, 3.
  constexpr int quadrant() const { return quadrant_of(*this); }
  /// The patch one level above that covers the given quadrant.
  constexpr PatchId child(int which) const { return child_of(*this, which); }
};

/// "level 1 patch (3, 4)", for messages.
std::string to_string(const PatchId& id);

/// The offset from a patch to one of its eight neighbours.
struct Direction {
  int dx = 0;
  int dy = 0;
};

/// The eight neighbours, row by row.
inline constexpr std::array<Direction, 8> kDirections = {
    {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};

}  // namespace kumiko::amr
