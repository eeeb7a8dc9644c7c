// All that must be stored of a run so that it can be gone on with later.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/statistics.hpp>

namespace kumiko::amr {

/// What a record may show of the run after the solver's components: the patch's level, the worker
/// who worked on it last (-1: nobody yet), the seconds that its latest base step took, and the
/// refinement indicator of every point. Nothing goes on from them.
enum class Extra : std::size_t { kLevel, kWorker, kCost, kIndicator };
inline constexpr std::array<std::string_view, 4> kExtraNames = {"level", "worker", "cost_s",
                                                                "indicator"};
inline std::string_view to_string(Extra extra) {
  return kExtraNames[static_cast<std::size_t>(extra)];
}

/// The patches of one level, in canonical order.
struct SavedLevel {
  std::vector<PatchId> patches;
  std::vector<RegridHistory> histories;  ///< of each patch
  std::vector<double> cfl;               ///< CFL number of each patch's latest step
  std::vector<double> values;            ///< a record [component][j][i] of each patch, no ghosts
};

/// Everything of a Simulation between two base steps that does not follow from case, solver and
/// options. Whoever goes on from it gets the bits of a run that was never interrupted, whatever the
/// backend, the schedule and the number of workers.
struct SavedRun {
  int step = 0;         ///< base steps taken
  int next_regrid = 0;  ///< Simulation::next_regrid()
  int next_check = 0;   ///< the base step before which values that are not finite are looked for
  std::size_t unnested = 0;        ///< Simulation::unnested_patches()
  double indicator_scale = 0.0;    ///< largest magnitude of the initial state, for Löhner's floor
  std::vector<SavedLevel> levels;  ///< from level 0 to the finest that has patches
  WorkCounters counters;
  int extras = 0;  ///< components of each record after the solver's: none, or kExtraNames
};

/// Which patches a saved run has. Throws std::invalid_argument when they cannot be on this grid.
Mesh<2> mesh_of(const BaseGrid<2>& base, const SavedRun& saved);

}  // namespace kumiko::amr
