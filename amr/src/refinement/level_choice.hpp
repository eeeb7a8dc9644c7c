// Chooses the patches of a level from what is tagged below, as a function on meshes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/read_plan.hpp>

#include "refinement/regions.hpp"

namespace kumiko::amr {

/// The quadrants of a patch that tags ask for, one bit each.
struct TaggedQuadrants {
  std::uint8_t refine = 0;  ///< by the threshold
  std::uint8_t keep = 0;    ///< by the derefine threshold: where there is a child
};

struct LevelChoice {
  std::vector<PatchId> wanted;  ///< what the tags ask for and get
  std::vector<PatchId> ids;     ///< with those that are held or forced
  std::size_t unnested = 0;     ///< patches that the tags ask for, but that would not nest
};

/// The patches of level + 1 that a mesh of the levels up to `level`, which is new, and the old ones
/// above gets; lists in canonical order without duplicates.
/// \param plan    of the mesh and of every rank's patches: it knows who has which neighbours
/// \param tagged  in canonical order; a patch of the level may come several times
/// \param held    patches of level + 1 that stay, in canonical order
/// Cost: a walk over the level's patches beside the tagged ones.
LevelChoice choose_level(const Mesh<2>& mesh, const ReadPlan& plan, int level,
                         const std::vector<PatchValue<TaggedQuadrants>>& tagged,
                         const std::vector<PatchId>& held, const Regions& regions);

}  // namespace kumiko::amr
