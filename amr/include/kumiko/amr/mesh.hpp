// The mesh as a value: its patches, their ranks and their places, without any data of fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

/// The identity of a patch of a mesh whose number of axes is not two. Canonical order: by level,
/// then by the last axis' index, and so on down to the first.
template <int Axes>
struct BasicPatchId {
  static constexpr int kAxes = Axes;

  int level = 0;
  std::array<int, Axes> index{};

  /// The index along an axis: 0 is x.
  constexpr int& along(int axis) { return index[static_cast<std::size_t>(axis)]; }
  constexpr int along(int axis) const { return index[static_cast<std::size_t>(axis)]; }

  friend constexpr bool operator==(const BasicPatchId&, const BasicPatchId&) = default;
  friend constexpr bool operator<(const BasicPatchId& a, const BasicPatchId& b) {
    if (a.level != b.level) return a.level < b.level;
    for (int axis = Axes - 1; axis > 0; --axis) {
      if (a.along(axis) != b.along(axis)) return a.along(axis) < b.along(axis);
    }
    return a.along(0) < b.along(0);
  }
};

/// The identity of a patch: PatchId in the plane.
template <int Axes>
using PatchIdOf = std::conditional_t<Axes == 2, PatchId, BasicPatchId<Axes>>;

/// "level 1 patch (3, 4, 5)", for messages.
template <int Axes>
std::string to_string(const BasicPatchId<Axes>& id);

/// Points of a level: begin <= index < end along each axis, in the level's index space.
template <int Axes>
struct Box {
  int level = 0;
  std::array<int, Axes> begin{};
  std::array<int, Axes> end{};

  /// Whether no point is in the box.
  bool empty() const;
  /// The points that are in both boxes, which are of one level.
  Box operator&(const Box& other) const;
  friend bool operator==(const Box&, const Box&) = default;
};

/// Level 0 and the domain that it covers.
template <int Axes>
struct BaseGrid {
  using Id = PatchIdOf<Axes>;

  std::array<int, Axes> patches{};    ///< of level 0 along each axis
  std::array<double, Axes> extent{};  ///< of the domain, in the case's length units
  std::array<bool, Axes> periodic{};  ///< along each axis

  /// The number of patches that would cover a level along an axis.
  int patches_along(int axis, int level) const {
    return patches[static_cast<std::size_t>(axis)] << level;
  }
  /// Whether a patch lies within the domain.
  bool inside(const Id& id) const {
    for (int axis = 0; axis < Axes; ++axis) {
      if (id.along(axis) < 0 || id.along(axis) >= patches_along(axis, id.level)) return false;
    }
    return true;
  }
  /// The patch's identity after wrapping it around periodic sides (unchanged elsewhere).
  Id wrap(Id id) const {
    for (int axis = 0; axis < Axes; ++axis) {
      const int count = patches_along(axis, id.level);
      const int index = id.along(axis);
      const bool is_beyond = index < 0 || index >= count;
      if (!is_beyond || !periodic[static_cast<std::size_t>(axis)]) continue;
      id.along(axis) = (index % count + count) % count;
    }
    return id;
  }
  /// The neighbouring place of a patch, wrapped around periodic sides; none beyond the domain.
  std::optional<Id> neighbour(Id id, const std::array<int, Axes>& offset) const {
    for (int axis = 0; axis < Axes; ++axis) {
      id.along(axis) += offset[static_cast<std::size_t>(axis)];
    }
    id = wrap(id);
    return inside(id) ? std::optional(id) : std::nullopt;
  }
  friend bool operator==(const BaseGrid&, const BaseGrid&) = default;
};

/// Leaf points of a patch: all of it, or one quadrant.
template <int Axes>
struct LeafBox {
  std::size_t slot = 0;           ///< of the patch within its level
  std::array<int, Axes> first{};  ///< first point along each axis within the patch, 0 or 8
  int size = 0;                   ///< points along each axis, 16 or 8

  friend bool operator==(const LeafBox&, const LeafBox&) = default;
};

/// Calls visit(quadrant) for each quadrant of a patch that is not covered, in order.
/// \param covered  bit q for quadrant q
template <int Axes, class Visit>
void for_each_leaf_quadrant(unsigned covered, Visit visit) {
  for (int quadrant = 0; quadrant < 1 << Axes; ++quadrant) {
    if ((covered >> quadrant & 1U) == 0) visit(quadrant);
  }
}

/// The points of a patch.
template <class Id>
Box<Id::kAxes> box_of(const Id& id);
/// The leaf points of a patch in its level's index space.
template <class Id>
Box<Id::kAxes> box_of(const Id& id, const LeafBox<Id::kAxes>& leaf);

/// The difference between the old and the new patches of a level. Positions are those in the two
/// lists.
struct LevelDifference {
  std::vector<std::size_t> created;                         ///< positions in the new list
  std::vector<std::size_t> removed;                         ///< positions in the old list
  std::vector<std::pair<std::size_t, std::size_t>> kept{};  ///< old and new position of each

  friend bool operator==(const LevelDifference&, const LevelDifference&) = default;
};

/// Both lists are in canonical order. O(patches).
template <class Id>
LevelDifference level_difference(std::span<const Id> before, std::span<const Id> after);

/// A patch that does not nest, and the patch of the level below that it lacks.
template <class Id>
struct Unnested {
  Id patch;
  Id missing;

  friend bool operator==(const Unnested&, const Unnested&) = default;
};

/// The patches of all levels with their ranks, and the domain: a value that can be compared, sent
/// and queried. Level 0 covers the domain. A patch's *slot* is its position within its level, in
/// canonical order (by the last axis' index first, by x last). An *rank* is the number of the
/// process that has the patch's data, 0 by default.
///
/// A mesh need not be properly nested; unnested() lists the patches that are not. Reading is safe
/// from many threads.
template <int Axes>
class Mesh {
 public:
  using Id = PatchIdOf<Axes>;
  static constexpr int kQuadrants = 1 << Axes;

  /// A mesh with level 0 only. Throws std::invalid_argument for an invalid base grid.
  explicit Mesh(const BaseGrid<Axes>& base);

  const BaseGrid<Axes>& base() const { return base_; }
  /// Levels up to the finest that has a patch.
  int levels() const { return static_cast<int>(levels_.size()); }
  /// The patches of a level in canonical order; empty for levels that the mesh does not have.
  std::span<const Id> ids(int level) const;
  /// The rank of each patch of a level.
  std::span<const std::int32_t> ranks(int level) const;
  std::size_t size(int level) const { return ids(level).size(); }

  /// Makes the patches of a level exactly `ids`, in canonical order, and leaves the other levels as
  /// they are. Without ranks, rank 0 has all patches. Throws std::invalid_argument, with the mesh
  /// unchanged, for a patch outside the domain or out of order, a level more than one above the
  /// finest, or a level 0 that does not cover the domain. O(patches).
  void assign(int level, std::vector<Id> ids, std::vector<std::int32_t> ranks = {});

  /// Slot of a patch within its level, or -1. O(1) in rows without gaps, else O(log of the patches
  /// in the row).
  std::int32_t find(const Id& id) const;
  /// Slots of a patch's children by quadrant, -1 where there is none.
  std::array<std::int32_t, std::size_t{1} << Axes> children(const Id& id) const;

  /// The patches of the level below that a patch of a level above 0, existing or not, needs and
  /// that are missing: first its parent, then the parents of its neighbouring places, because every
  /// ghost has its source there.
  std::optional<Id> missing_support(const Id& id) const;
  /// Whether all patches exist that a patch of a level above 0, existing or not, needs on the level
  /// below.
  bool nests(const Id& id) const { return !missing_support(id); }
  /// The patches that do not nest, in canonical order. If there are none, the mesh is *properly
  /// nested*.
  std::vector<Unnested<Id>> unnested() const;

  /// For each patch of a level the quadrants that its children cover, bit q for quadrant q. Each
  /// child costs a comparison, or a binary search at the beginning of a row and after a removed
  /// patch.
  std::vector<std::uint8_t> covered_quadrants(int level) const;
  /// The leaf points of a level, which no patch of the next level covers, in canonical order: by
  /// patch, then by quadrant. All loops over a state use this order.
  std::vector<LeafBox<Axes>> leaf_boxes(int level) const;
  /// The parts of a box that patches of its level cover, with their slots, in canonical order.
  /// O(log + patches of the rows between the box's corners).
  std::vector<std::pair<std::size_t, Box<Axes>>> intersections(const Box<Axes>& box) const;

  /// All patches depth first, each before its children, quadrants and base patches along Morton's
  /// curve: equal parts of this list are compact in space and hold whole families of patches.
  std::vector<Id> space_filling_order() const;

  /// Whether grid, patches and ranks are the same.
  friend bool operator==(const Mesh& a, const Mesh& b) {
    return a.base_ == b.base_ && a.levels_ == b.levels_;
  }

  /// The memory of the lists in bytes.
  std::size_t memory_bytes() const;

 private:
  /// The place of a patch within its row, in canonical order.
  using RowKey = std::conditional_t<Axes == 2, std::int32_t, std::int64_t>;

  struct LevelList {
    std::vector<Id> ids;
    std::vector<std::int32_t> ranks;
    std::vector<RowKey> keys;  ///< of each patch, for lookups
    /// First slot with at least this index along the last axis; one entry more than there are
    /// indices.
    std::vector<std::int32_t> rows;

    friend bool operator==(const LevelList&, const LevelList&) = default;
  };

  Mesh() = default;

  void check(int level, const std::vector<Id>& ids, std::size_t ranks) const;
  static RowKey key_of(const Id& id);
  std::vector<std::int32_t> rows_of(int level, const std::vector<Id>& ids) const;

  BaseGrid<Axes> base_;
  std::vector<LevelList> levels_;
};

/// The differences of all levels of two meshes. Throws std::invalid_argument if their base grids
/// differ. O(patches).
template <int Axes>
std::vector<LevelDifference> difference(const Mesh<Axes>& before, const Mesh<Axes>& after);

extern template class Mesh<2>;

}  // namespace kumiko::amr
