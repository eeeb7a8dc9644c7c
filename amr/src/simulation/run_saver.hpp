// Saves the state of a run and restores it.
#pragma once

#include <vector>

#include <kumiko/amr/saved_run.hpp>

#include "refinement/regrid_plan.hpp"
#include "simulation/run.hpp"
#include "simulation/saved_run.hpp"

namespace kumiko::amr {

/// Copies the state between windows of steps. Saving leaves every bit of the run as it is; of its
/// buffers, only ghosts change, which each step fills anew. All ranks of a shared mesh call the
/// same members.
class RunSaver {
 public:
  /// Keeps a reference to the run.
  explicit RunSaver(Run& run) : run_(run) {}

  /// Saves this rank's share of all records. Suspends while ranks exchange records. O(points).
  /// \param plan    of the regrids of the run
  /// \param extras  components of each record beside the field's: 0, or as many as kExtraNames
  SavedShare save_share(const RegridPlan& plan, int extras);
  /// Saves all records for rank 0; the others get none. Otherwise as save_share().
  SavedRun save_whole(const RegridPlan& plan, int extras);

  /// Gives the run the patches and the values of a saved one, and what a step needs beside them.
  /// On the backend's driver. Throws std::invalid_argument for patches that do not nest,
  /// MemoryLimitError.
  void restore(const SavedRun& saved);
  /// Gives a level its patches and their values alone; the levels below are restored already.
  /// Otherwise as restore().
  void restore_field(int level, const SavedRun& saved);

 private:
  SavedShare save(const RegridPlan& plan, int extras, std::vector<std::vector<PatchRange>> ranges);
  SavedLevel save_level(int level, const RegridPlan& plan, RecordExchange& records);
  void save_extras(RecordExchange& records);
  void restore_motion(int level, const SavedRun& saved);

  Run& run_;
};

}  // namespace kumiko::amr
