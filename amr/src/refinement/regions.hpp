// Boxes of the domain with a largest and a least level of their own.
#pragma once

#include <vector>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/refinement_options.hpp>

namespace kumiko::amr {

/// Sorts into canonical order and drops duplicates.
void sort_unique(std::vector<PatchId>& ids);

/// Adds to `coarser` what proper nesting asks below the patches of a level above 0: their parents
/// and those of their eight neighbours' places.
void add_support(const BaseGrid<2>& base, const std::vector<PatchId>& patches,
                 std::vector<PatchId>& coarser);

/// Throws OptionError for a region that lies outside the domain.
void check_overlap(const Extent& extent, const std::vector<RefinementRegion>& regions);

/// What the regions say about patches. Immutable.
///
/// A point in several boxes may be as fine as the finest of their largest levels, and must be as
/// fine as the finest of their least levels. A point outside all boxes may have every level.
class Regions {
 public:
  /// Levels that the mesh has not are as the finest that it has.
  /// The regions have passed check(). Throws as check_overlap() does.
  Regions(const Geometry& geometry, int max_levels, std::vector<RefinementRegion> regions);

  /// Whether every point of the patch may have its level. O(regions).
  bool allow(const PatchId& id) const;

  /// The patches of a level that must be there, sorted: those with a point that must have the
  /// level, and the support of those of the next level, wherever it lies.
  const std::vector<PatchId>& forced(int level) const {
    return forced_[static_cast<std::size_t>(level)];
  }

 private:
  void force(int level, const RefinementRegion& region);

  Geometry geometry_;
  std::vector<RefinementRegion> regions_;
  std::vector<std::vector<PatchId>> forced_;
};

}  // namespace kumiko::amr
