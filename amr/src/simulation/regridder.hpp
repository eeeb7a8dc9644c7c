// Rebuilds the mesh of a run, and gives new patches their values.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <kumiko/amr/saved_run.hpp>

#include "refinement/regrid_plan.hpp"
#include "simulation/rebalancer.hpp"
#include "simulation/run.hpp"
#include "transfer/transfer_operators.hpp"

namespace kumiko::amr {

/// Builds all levels above 0 from tags, coarse to fine. At each level: ghosts, tags, the new
/// children, their values. All ranks of a shared mesh call the same members, between windows of
/// steps, on the backend's driver.
class Regridder {
 public:
  /// Keeps references to both.
  Regridder(Run& run, Rebalancer& rebalancer);

  /// Fills the initial values [j][i] of a component of a patch. From many threads at once.
  using InitialField =
      std::function<void(const PatchId& id, int component, std::span<double> values)>;

  /// Builds the first mesh; all patches get the initial values of the case, or those of `field`
  /// where it is given. Throws as regrid().
  void begin(InitialField field = {});
  /// Begins with a stored mesh and its values, and has the mesh rebuilt before the first step.
  /// Throws as `restore` does, and NoStepServes.
  /// \param restore  gives a level its patches and values
  void begin_with_mesh(int levels, const std::function<void(int level)>& restore);
  /// Takes over the tagging history of a saved run, whose patches are restored.
  void resume(const SavedRun& saved);
  /// Rebuilds the mesh before the next base step; new patches are prolonged from coarser ones.
  /// Throws MemoryLimitError and NoStepServes on all ranks alike; some levels may then be rebuilt,
  /// and the state is that before the step, so that a regrid from there succeeds or is refused
  /// again.
  /// \param magnitudes  the largest of all ranks, where they know them already
  void regrid(const std::optional<std::vector<double>>& magnitudes);

  const RegridPlan& plan() const { return *plan_; }

 private:
  enum class Fill { kSample, kProlong };

  void make_plan();
  void rebuild(Fill fill);
  void begin_scales();
  void follow_scales(const std::optional<std::vector<double>>& magnitudes);
  void sample_case(const PatchId& id, int component, std::span<double> values) const;
  void sample(int level, std::size_t slot);
  void prolong_into(int level, std::size_t slot);

  Run& run_;
  Rebalancer& rebalancer_;
  TransferOperators transfer_;
  InitialField initial_;  ///< while the first mesh is built
  std::optional<RegridPlan> plan_;
};

}  // namespace kumiko::amr
