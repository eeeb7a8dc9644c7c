// The identity of a patch: global, small, cheap to hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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
/// Levels of a mesh, at most, level 0 included.
inline constexpr int kLargestLevelCount = 8;
/// Points of level 0 along an axis, at most.
inline constexpr int kMostBasePoints = 65536;

/// Patch (i, j) of a level holds the level's points 16i..16i+15 by 16j..16j+15.
/// Ordered by level, then j, then i: the canonical order of every reduction and file.
struct PatchId {
  int level = 0;
  int i = 0;
  int j = 0;

  friend constexpr bool operator==(const PatchId&, const PatchId&) = default;
  friend constexpr bool operator<(const PatchId& a, const PatchId& b) {
    return std::tie(a.level, a.j, a.i) < std::tie(b.level, b.j, b.i);
  }

  /// The patch one level below that contains this one. Requires level > 0.
  constexpr PatchId parent() const { return {level - 1, i >> 1, j >> 1}; }
  /// Which quadrant of its parent this patch covers: 0 lower left, 1 lower right, 2 upper left, 3.
  constexpr int quadrant() const { return (i & 1) + 2 * (j & 1); }
  /// The patch one level above that covers the given quadrant.
  constexpr PatchId child(int which) const {
    return {level + 1, 2 * i + (which & 1), 2 * j + (which >> 1)};
  }
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

template <>
struct std::hash<kumiko::amr::PatchId> {
  std::size_t operator()(const kumiko::amr::PatchId& id) const noexcept {
    // Fibonacci hashing of the packed identity: 6 bits of level, 29 of each index.
    const auto packed = (static_cast<std::uint64_t>(id.level) << 58) ^
                        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(id.j)) << 29) ^
                        static_cast<std::uint64_t>(static_cast<std::uint32_t>(id.i));
    return static_cast<std::size_t>((packed * 0x9E3779B97F4A7C15ULL) >> 16);
  }
};
