// The mesh with the data of its patches, and the plan of reads between patches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/patch_pool.hpp>
#include <kumiko/amr/read_plan.hpp>

namespace kumiko::amr {

/// The data of the patches of one level, by their slots in the mesh. They are the patches that this
/// process owns, which are all patches if the mesh is not shared, and copies of other patches that
/// its own patches read.
class Level {
 public:
  /// The number of patches of the level, of all ranks.
  std::size_t size() const { return patches_.size(); }
  bool empty() const { return patches_.empty(); }
  /// Slots of the patches that this process owns, in order.
  std::span<const std::uint32_t> own() const { return own_; }
  /// A patch that this process owns.
  Patch& patch(std::size_t slot) { return *patches_[slot]; }
  const Patch& patch(std::size_t slot) const { return *patches_[slot]; }
  /// The patch in the form that other patches read: the patch itself, or its *shadow* in that role,
  /// which is filled by messages.
  const Patch& read(ReadState role, std::size_t slot) const {
    const Patch* const own = patches_[slot].get();
    return own != nullptr ? *own : *shadows(role)[slot];
  }
  /// The shadow of another process's patch in a role.
  Patch& shadow(ReadState role, std::size_t slot) { return *shadows(role)[slot]; }
  /// The number of patches that would cover the domain's height.
  int patches_y() const { return patches_y_; }

 private:
  friend class Hierarchy;
  using Patches = std::vector<std::unique_ptr<Patch>>;
  static constexpr std::size_t kRoles = 3;

  Patches& shadows(ReadState role) { return shadows_[static_cast<std::size_t>(role)]; }
  const Patches& shadows(ReadState role) const { return shadows_[static_cast<std::size_t>(role)]; }

  Patches patches_;  ///< by slot; nullptr for patches that others own
  std::vector<std::uint32_t> own_;
  std::array<Patches, kRoles> shadows_;  ///< by ReadState and slot; empty while there are none
  int patches_y_ = 0;
};

/// The memory of a mesh.
struct MemoryUse {
  std::size_t patch_bytes = 0;  ///< blocks of the pool: states, halos, coefficients; free ones too
  std::size_t metadata_bytes = 0;  ///< records of patches, lookup tables, memory of the steppers
  std::size_t points = 0;          ///< interior points of all patches

  double bytes_per_point() const {
    return points == 0
               ? 0.0
               : static_cast<double>(patch_bytes + metadata_bytes) / static_cast<double>(points);
  }
};

/// The mesh, and the data of each patch in its slot. Only change() and set_ranks() alter the mesh;
/// readers and the patches' own data may be used from many threads between changes. Cannot be
/// copied.
class Hierarchy {
 public:
  /// Builds level 0; its data is uninitialised.
  /// \param rank  the rank that this process is: it has the data of that rank's patches
  /// \param base_ranks  ranks of the patches of level 0, by slot; empty: rank 0 owns all
  /// Throws std::invalid_argument unless 1 <= max_levels <= 8.
  Hierarchy(Geometry geometry, int max_levels, const PatchShape& shape, std::int32_t rank = 0,
            std::vector<std::int32_t> base_ranks = {});
  Hierarchy(const Hierarchy&) = delete;

  const Geometry& geometry() const { return geometry_; }
  /// The rank that this process is.
  std::int32_t communicator() const { return rank_; }
  /// The patches. The reference stays valid; the lists in it change with the mesh.
  const Mesh<2>& mesh() const { return mesh_; }
  /// The reads between patches, and the parents and children of patches. The reference stays valid;
  /// the lists in it change with the mesh.
  const ReadPlan& plan() const { return plan_; }
  const PatchShape& shape() const { return shape_; }
  int max_levels() const { return static_cast<int>(levels_.size()); }
  /// Levels up to the finest that has a patch.
  int used_levels() const { return mesh_.levels(); }
  Level& level(int index) { return levels_[static_cast<std::size_t>(index)]; }
  const Level& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

  /// Makes the patches of a level above 0 exactly `wanted` (any order, no duplicates): patches that
  /// stay keep their data and rank, patches that are removed return their memory to the pool, and
  /// new patches are uninitialised and belong to their parent's rank. Removes the level's shadows.
  /// Every wanted patch needs its parent. If a patch of this level is removed, patches of finer
  /// levels that no longer nest are removed too. \return slots of the new patches. O(patches);
  /// invalidates slots of this and finer levels.
  std::vector<std::size_t> change(int level, std::vector<PatchId> wanted);

  /// Sets the rank of each patch of a level, by slot. Patches that another process now owns return
  /// their memory to the pool; patches that this process now owns are uninitialised. Removes the
  /// level's shadows.
  /// \return slots of the patches that this process newly owns, in order
  std::vector<std::size_t> set_ranks(int level, std::vector<std::int32_t> ranks);

  /// Gives a level shadows in a role for these slots and no others, in this order; new shadows are
  /// uninitialised.
  void set_shadows(int level, ReadState role, const std::vector<std::uint32_t>& slots);

  /// Memory of the mesh, the read plan and the patches' data; the steppers' own memory is not
  /// included. O(patches).
  MemoryUse memory_use() const;

 private:
  void rebuild(int level, const LevelDifference& changes);
  void drop_shadows(int level);
  std::vector<std::size_t> take_own(int level);
  std::unique_ptr<Patch> make_patch(const PatchId& id);
  void drop_unnested(int level, const std::vector<PatchId>& gone);

  Geometry geometry_;
  Mesh<2> mesh_;
  ReadPlan plan_;
  PatchShape shape_;
  std::int32_t rank_;
  PatchPool pool_;
  std::vector<Level> levels_;
};

}  // namespace kumiko::amr
