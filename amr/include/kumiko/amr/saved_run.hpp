// All that must be stored of a run so that it can be gone on with later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <kumiko/amr/field_scale.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/statistics.hpp>
#include <kumiko/amr/stretch.hpp>

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

/// What is saved of each patch of a level, by slot.
struct SavedLevel {
  std::vector<RegridHistory> histories;
  std::vector<double> cfl;        ///< CFL number of the latest step
  std::vector<double> travelled;  ///< sum of the CFL numbers since the latest regrid
  std::vector<double> values;     ///< a record [component][j][i] of each, no ghosts; or none
};

/// Where records can be read from.
struct RecordSource {
  std::size_t record_size = 0;  ///< values of a record
  /// Puts as many values as there is room for, from the beginning of a patch's record. By any
  /// thread; throws what hinders it.
  std::function<void(int level, std::size_t slot, std::span<double> into)> read = {};

  explicit operator bool() const { return read != nullptr; }
};

/// A mesh and the values on it, and everything else of a Simulation between two base steps that
/// does not follow from case, solver and options. Whoever goes on from it gets the bits of a run
/// that was never interrupted, whatever the backend, the schedule and the number of workers.
struct SavedRun {
  /// Of a state from a file no side is periodic: that is the case's to say.
  Mesh<2> mesh;
  int step = 0;       ///< base steps taken
  double time = 0.0;  ///< reached by them
  double dt = 0.0;    ///< length of the latest
  /// How steps are chosen, or divided anew; none where the run has steps of one length.
  std::optional<StepChoice> choice = {};
  int next_regrid = 0;  ///< Simulation::next_regrid()
  int next_check = 0;   ///< the base step before which values that are not finite are looked for
  std::size_t unnested = 0;             ///< Simulation::unnested_patches()
  std::vector<FieldScale> scales = {};  ///< of the solver's components, for Löhner's floor
  std::vector<SavedLevel> levels = {};  ///< of the mesh, one for each of its own
  WorkCounters counters = {};
  int extras = 0;            ///< components of each record after the solver's: none, or kExtraNames
  RecordSource source = {};  ///< where values are that `levels` do not hold
  /// Whether the run goes on with other options, or a solver with other parameters: what it has
  /// planned, its next regrid and its step, is then planned anew.
  bool is_changed = false;

  const SavedLevel& level(int index) const { return levels[static_cast<std::size_t>(index)]; }
  /// Values in the record of a patch: those of all components, extras among them.
  std::size_t record_size() const { return levels.front().values.size() / mesh.size(0); }
  std::size_t components() const { return record_size() / kPatchPoints; }
  std::span<const double> record(int level, std::size_t slot) const {
    return std::span(this->level(level).values).subspan(slot * record_size(), record_size());
  }
  /// The values [j][i] of one component.
  std::span<const double> values(int level, std::size_t slot, std::size_t component) const {
    return record(level, slot).subspan(component * kPatchPoints, kPatchPoints);
  }
};

// --- A run that several owners save together ---

/// Patches of a level that follow each other, by slot.
struct PatchRange {
  int level = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Records that come to one owner together.
inline constexpr std::size_t kRecordsTogether = 64;

/// Whose records each of so many owners gets, by owner: parts of kRecordsTogether records of a
/// level, or what is left of it, in canonical order, which are dealt out as they follow each other
/// and as evenly as that can be. Where there are more owners than parts, some get none.
std::vector<std::vector<PatchRange>> record_ranges(const Mesh<2>& mesh, std::int32_t owners);

/// The records of patches that follow each other, one after the other.
struct RecordStretch {
  PatchRange patches;
  std::vector<double> values;
};

/// The records that one owner has of a run that all save together.
struct SavedRecords {
  std::size_t record_size = 0;           ///< as SavedRun::record_size()
  std::vector<RecordStretch> stretches;  ///< of the owner's ranges in record_ranges()
};

/// What owner 0 has then.
struct SavedShare {
  SavedRun run;  ///< without values
  SavedRecords records;
};

}  // namespace kumiko::amr
