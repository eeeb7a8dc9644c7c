// Who reads what from whom, by slots, as loops use it.
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

/// Which state of a patch another one reads.
enum class ReadState : std::uint8_t {
  kSame,    ///< that of the reader's time, for ghosts from siblings
  kCoarse,  ///< that at the start of the coarser level's step; where time is blended, its end too
  kFine     ///< that which the finer level has reached at the end of the reader's step
};

/// What serves ghosts from one source, resolved for the mesh as it is.
struct PlannedRead {
  std::int32_t slot = -1;      ///< of the source within its level
  std::uint16_t from = 0;      ///< offset of the region's first value in a component of the source
  std::uint16_t to = 0;        ///< offset of the first ghost that it serves, likewise
  std::uint8_t count = 0;      ///< values in a row of the region
  std::uint8_t rows = 0;       ///< rows of the region
  std::uint8_t direction = 0;  ///< of the ghosts, in the order of kDirections
  std::uint8_t quadrant = 0;   ///< of a coarser source: that which covers the ghosts' place
};
static_assert(sizeof(PlannedRead) == 12, "entries are read in sequence at every fill");

/// What fills the ghosts of a patch. Both lists are in the order of kDirections.
struct PatchReads {
  std::span<const PlannedRead> siblings;  ///< patches of the same level
  std::span<const PlannedRead> coarser;   ///< patches of the level below, where there is no sibling
  unsigned outside = 0;                   ///< bit d: direction d leads out of the domain
};

/// The reads of all patches, whoever owns them, resolved once for a mesh, and who is whose parent
/// and child. Slots are good until the mesh changes.
class ReadPlan {
 public:
  /// \param ghosts  layers around each patch
  explicit ReadPlan(int ghosts);

  /// Follows a level whose patches have changed; to be called after each change, of one level after
  /// the other. What those that came read, and what their siblings and those of patches that went
  /// read, is planned anew; all others, on the level above too, keep their entries with the slots
  /// that patches have now. A place that neither its level nor the one below covers is left out:
  /// the mesh does not nest there. O(patches of the level and of the one above), copies but for
  /// what is planned anew. \param changes  from the patches at the call before; from none at the
  /// first one
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

  /// Bytes that the lists take.
  std::size_t memory_bytes() const;

 private:
  struct Entry {
    std::int32_t parent = -1;
    std::array<std::int32_t, 4> children = {-1, -1, -1, -1};
    std::uint8_t siblings = 0;
    std::uint8_t coarser = 0;
    std::uint8_t outside = 0;

    /// Whether each direction is served, or leads outside.
    bool is_whole() const;
  };
  static constexpr std::size_t kMostReads = kDirections.size();
  struct LevelPlan {
    std::vector<Entry> patches;
    std::vector<PlannedRead> reads;  ///< kMostReads of each patch, as many used as its entry says
  };
  /// The slot that each patch of a level has got, -1 for those that went.
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
  LevelPlan before_;  ///< of the level at hand, during update(); its memory is kept
};

}  // namespace kumiko::amr
