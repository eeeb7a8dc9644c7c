// The data of a run that must be stored to continue it later.
#pragma once

#include <algorithm>
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

/// Extra components that a record may have after the solver's: the patch's level, the worker that
/// last worked on it (-1: none yet), the seconds of its latest base step, and the refinement
/// indicator of every point. A continued run does not use them.
enum class Extra : std::size_t { kLevel, kWorker, kCost, kIndicator };
inline constexpr std::array<std::string_view, 4> kExtraNames = {"level", "worker", "cost_s",
                                                                "indicator"};
inline std::string_view to_string(Extra extra) {
  return kExtraNames[static_cast<std::size_t>(extra)];
}

/// The saved data of the patches of a level, by slot.
struct SavedLevel {
  std::vector<RegridHistory> histories;
  std::vector<double> cfl;        ///< CFL number of the latest step
  std::vector<double> travelled;  ///< sum of the CFL numbers since the latest regrid
  std::vector<double>
      values;  ///< a record [component][j][i] of each patch, without ghosts; or empty
};

/// A source from which records can be read.
struct RecordSource {
  std::size_t record_size = 0;  ///< number of values of a record
  /// Reads as many values as fit, from the beginning of a patch's record. For any thread. Throws on
  /// errors of the source.
  std::function<void(int level, std::size_t slot, std::span<double> into)> read = {};

  explicit operator bool() const { return read != nullptr; }
};

/// A mesh and the values on it, and everything else of a Simulation between two base steps that
/// does not follow from case, solver and options. A run that is continued from it has the same bits
/// as one that was never interrupted, whatever the backend, the schedule and the number of workers.
struct SavedRun {
  /// In a state from a file no side is periodic; the case determines this.
  Mesh<2> mesh;
  int step = 0;       ///< base steps taken
  double time = 0.0;  ///< time reached by them
  double dt = 0.0;    ///< length of the latest base step
  /// How steps are chosen or divided; nothing if all steps of the run have the same length.
  std::optional<StepChoice> choice = {};
  int next_regrid = 0;  ///< Simulation::next_regrid()
  int next_check =
      0;  ///< the base step before which the next check for values that are not finite is made
  std::size_t unnested = 0;             ///< Simulation::unnested_patches()
  std::vector<FieldScale> scales = {};  ///< of the solver's components, for Löhner's floor
  std::vector<SavedLevel> levels = {};  ///< one for each level of the mesh
  WorkCounters counters = {};
  int extras =
      0;  ///< components of each record after the solver's: 0, or the number of kExtraNames
  RecordSource source = {};  ///< source of the values that `levels` do not hold
  /// Whether the run continues with other options, or with other parameters of the solver. Then its
  /// next regrid and its step are planned again.
  bool is_changed = false;

  const SavedLevel& level(int index) const { return levels[static_cast<std::size_t>(index)]; }
  /// The number of values in the record of a patch: those of all components, including extras.
  std::size_t record_size() const { return levels.front().values.size() / mesh.size(0); }
  /// Components of the field, without extras, also where a source has the values.
  std::size_t field_components() const {
    const std::size_t size = source ? source.record_size : record_size();
    return size / kPatchPoints - static_cast<std::size_t>(extras);
  }
  /// Reads as many values as fit, from the beginning of a patch's record, from wherever they are.
  void read(int level, std::size_t slot, std::span<double> into) const {
    if (source) return source.read(level, slot, into);
    const std::span<const double> record = this->record(level, slot).first(into.size());
    std::copy(record.begin(), record.end(), into.begin());
  }
  std::size_t components() const { return record_size() / kPatchPoints; }
  std::span<const double> record(int level, std::size_t slot) const {
    return std::span(this->level(level).values).subspan(slot * record_size(), record_size());
  }
  /// The values [j][i] of one component.
  std::span<const double> values(int level, std::size_t slot, std::size_t component) const {
    return record(level, slot).subspan(component * kPatchPoints, kPatchPoints);
  }
};

// --- A run that several ranks save together ---

/// Patches of a level that follow each other, by slot.
struct PatchRange {
  int level = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The number of records that are assigned to one rank together.
inline constexpr std::size_t kRecordsTogether = 64;

/// The ranges of records that each rank gets. The records of a level are divided, in canonical
/// order, into parts of kRecordsTogether records, the last part being smaller. Consecutive parts
/// are assigned to the ranks as evenly as possible. If there are more ranks than parts, some
/// ranks get none.
std::vector<std::vector<PatchRange>> record_ranges(const Mesh<2>& mesh, std::int32_t ranks);

/// The records of patches that follow each other, one after the other.
struct RangeRecords {
  PatchRange patches;
  std::vector<double> values;
};

/// The records of one rank, in a run that all ranks save together.
struct SavedRecords {
  std::size_t record_size = 0;       ///< as SavedRun::record_size()
  std::vector<RangeRecords> ranges;  ///< for the rank's ranges in record_ranges()
};

/// The data of rank 0 in a run that all ranks save together.
struct SavedShare {
  SavedRun run;  ///< the run, without values
  SavedRecords records;
};

}  // namespace kumiko::amr
