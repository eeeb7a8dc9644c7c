// The plan of reads between patches, by slots, in a form for loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "a patch has eight neighbours and four quadrants");

/// The state of a patch that another patch reads.
enum class ReadState : std::uint8_t {
  kSame,    ///< the state at the reader's time, for ghosts from siblings
  kCoarse,  ///< the state at the start of the coarser level's step, and at its end if ghosts are
            ///< interpolated in time
  kFine     ///< the state of the finer level at the end of the reader's step
};

/// A region of one source that provides ghosts, resolved for the current mesh.
struct PlannedRead {
  std::int32_t slot = -1;      ///< slot of the source within its level
  std::uint16_t from = 0;      ///< offset of the region's first value in a component of the source
  std::uint16_t to = 0;        ///< offset of the first ghost that it provides, in the same way
  std::uint8_t count = 0;      ///< values in a row of the region
  std::uint8_t rows = 0;       ///< rows of the region
  std::uint8_t direction = 0;  ///< direction of the ghosts, in the order of kDirections
  std::uint8_t quadrant = 0;   ///< for a coarser source: the quadrant that covers the ghosts' place
};
static_assert(sizeof(PlannedRead) == 12, "entries are read in sequence at every fill");

/// The reads that fill the ghosts of a patch. Both lists are in the order of kDirections.
struct PatchReads {
  std::span<const PlannedRead> siblings;  ///< patches of the same level
  std::span<const PlannedRead>
      coarser;           ///< patches of the level below, for places without a sibling
  unsigned outside = 0;  ///< bit d is set if direction d leads out of the domain
};

/// The reads of all patches, of all ranks, resolved once for a mesh, and the parents and children
/// of patches. Slots are valid until the mesh changes.
class ReadPlan {
 public:
  /// \param ghosts  number of ghost layers around each patch
  explicit ReadPlan(int ghosts);

  /// Updates the plan for a level whose patches have changed. Call it after each change, for one
  /// level after the other. It plans the reads of new patches and of the siblings of new and
  /// removed patches. All other patches, also those of the level above, keep their entries with
  /// updated slots. A place that is covered neither by its level nor by the level below is left
  /// out, since the mesh does not nest there. O(patches of the level and of the level above);
  /// mostly copies. \param changes  since the previous call; at the first call, since the empty
  /// level
  void update(const Mesh<2>& mesh, int level, const LevelDifference& changes);

  /// The reads for a patch's ghosts. Two loads.
  PatchReads of(int level, std::size_t slot) const {
    const LevelPlan& plan = levels_[static_cast<std::size_t>(level)];
    const Entry& entry = plan.patches[slot];
    const PlannedRead* const first = plan.reads.data() + slot * kMostReads;
    return {{first, entry.siblings}, {first + entry.siblings, entry.coarser}, entry.outside};
  }
  /// Slot of a patch's parent on the level below, -1 on level 0.
  std::int32_t parent(int level, std::size_t slot) const { return entry(level, slot).parent; }
  /// Slots of a patch's children on the level above by quadrant, -1 where the quadrant is a leaf.
  const std::array<std::int32_t, 4>& children(int level, std::size_t slot) const {
    return entry(level, slot).children;
  }
  bool has_children(int level, std::size_t slot) const {
    return children(level, slot) != std::array<std::int32_t, 4>{-1, -1, -1, -1};
  }

  /// The memory of the lists in bytes.
  std::size_t memory_bytes() const;

 private:
  struct Entry {
    std::int32_t parent = -1;
    std::array<std::int32_t, 4> children = {-1, -1, -1, -1};
    std::uint8_t siblings = 0;
    std::uint8_t coarser = 0;
    std::uint8_t outside = 0;

    /// Whether each direction has a read or leads out of the domain.
    bool is_whole() const;
  };
  static constexpr std::size_t kMostReads = kDirections.size();
  struct LevelPlan {
    std::vector<Entry> patches;
    std::vector<PlannedRead>
        reads;  ///< kMostReads for each patch, of which its entry's number is used
  };
  /// The new slot of each patch of a level, -1 for removed patches.
  using NewSlots = std::vector<std::int32_t>;

  const Entry& entry(int level, std::size_t slot) const {
    return levels_[static_cast<std::size_t>(level)].patches[slot];
  }
  void plan_ghosts(const Mesh<2>& mesh, int level, std::size_t slot);
  void forget_children(int level, const LevelDifference& changes);
  void add_patch(const Mesh<2>& mesh, int level, std::size_t slot);
  void keep_patch(const Mesh<2>& mesh, int level, std::size_t slot, std::size_t before,
                  const NewSlots& now);
  bool reads(int level, std::size_t slot, std::size_t sibling) const;
  void follow_below(const Mesh<2>& mesh, int level, const NewSlots& now);
  void adopt(const Mesh<2>& mesh, int level, std::size_t slot);

  int ghosts_;
  /// The entries of all regions, without their sources: by direction, and by quadrant of a coarser
  /// source.
  std::array<PlannedRead, kDirections.size()> same_;
  std::array<std::array<PlannedRead, 4>, kDirections.size()> coarse_;
  std::vector<LevelPlan> levels_;
  LevelPlan before_;  ///< the level's plan before update(); its memory is reused
};

}  // namespace kumiko::amr
