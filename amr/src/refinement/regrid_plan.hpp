// Decides which patches a regrid makes, by tags, thresholds, regions and how long patches stay.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/refinement_options.hpp>

#include "data/patch_table.hpp"
#include "refinement/criterion.hpp"
#include "refinement/level_choice.hpp"
#include "refinement/refinement.hpp"
#include "refinement/regions.hpp"

namespace kumiko::amr {

/// Decides on the patches of each level, coarse to fine. A patch of level l + 1 is there after a
/// regrid when one of these holds:
///
/// 1. *Wanted*: its quadrant, grown by the buffer, has a point of level l above the threshold, or
///    the patch exists and there is one above the derefine threshold; no point of it lies where a
///    region forbids its level; and its neighbours' parents are there (proper nesting).
/// 2. *Held*: it came less than min_lifetime base steps ago, or was unwanted at fewer than
///    hysteresis regrids in a row.
/// 3. *Forced*: a point of it lies in a region whose least level is l + 1 or more.
/// 4. *Support*: it is the parent of a held or forced patch, or of one of its eight neighbours.
///
/// Held and forced do not depend on tags, so that begin() knows them and their support before any
/// level changes: such patches always nest, and no promise is broken from below. Wanted patches
/// yield to nesting: one whose parent, or neighbour's parent, is neither wanted nor held goes.
/// Lives on the driver's thread; tags and quadrants are found on the backend's workers. The ranks
/// of a shared mesh tag their own patches, and have the same plan.
class RegridPlan {
 public:
  /// Keeps references to the hierarchy, the backend and the rank.
  RegridPlan(const Hierarchy& hierarchy, Backend& backend, Communicator& communicator,
             const RefinementOptions& options, Indicator indicator);

  /// Begins a regrid before a base step.
  void begin(int step);

  /// Fills a patch's ghosts, one layer, at the time of the tags. From many threads at once.
  using FillGhosts = std::function<void(int level, std::size_t slot)>;

  /// The patches of level + 1, in canonical order without duplicates. Each patch is tagged by who
  /// has filled its ghosts.
  std::vector<PatchId> children(int level, double time, const FillGhosts& fill);

  /// Ends a regrid that was not refused: counts the patches that are there although unwanted. Until
  /// then the counts of patches that begin() found stay as they were.
  void end();

  /// Patches that were tagged since begin() but do not nest.
  std::size_t unnested() const { return unnested_; }
  /// Takes over the count of the latest regrid of a run that goes on.
  void resume(std::size_t unnested) { unnested_ = unnested; }

  /// What is remembered of a level's patches, by slot; a part of the run's state, as the data is.
  std::span<const RegridHistory> histories(int level) const { return histories_.level(level); }
  /// Takes over what is remembered of a level's patches in a run that goes on.
  void resume(int level, std::span<const RegridHistory> histories);

  /// Follows a mesh whose patches of a level have changed, and notes when those that came did.
  void note_arrivals(int level, const std::vector<std::size_t>& came);

 private:
  bool is_held(const RegridHistory& history) const;
  void find_held();
  void tag(int level, double time, const FillGhosts& fill);
  std::vector<PatchValue<TaggedQuadrants>> tagged(int level);
  std::set<std::size_t> foreign_siblings(int level) const;

  const Hierarchy& hierarchy_;
  Backend& backend_;
  Communicator& communicator_;
  RefinementOptions options_;
  Indicator indicator_;
  Regions regions_;
  int step_ = 0;
  std::size_t unnested_ = 0;
  PatchTable<RegridHistory> histories_;
  std::vector<std::vector<PatchId>> held_;      ///< by level, with support, sorted
  std::vector<std::vector<PatchId>> wanted_;    ///< by level, sorted, in this regrid
  std::vector<std::vector<std::size_t>> came_;  ///< by level, the slots of new patches
  std::vector<TagRows> refine_;                 ///< by slot of the level at hand
  std::vector<TagRows> keep_;                   ///< by slot, above the derefine threshold
};

}  // namespace kumiko::amr
