// Moves patches between the ranks of a shared mesh where their work differs.
#pragma once

#include <cstdint>
#include <optional>

#include <kumiko/amr/balance.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/partition.hpp>

#include "simulation/patch_costs.hpp"
#include "simulation/run.hpp"

namespace kumiko::amr {

/// Decides after each regrid whether patches get other ranks, and moves them. All ranks call the
/// same members and decide alike. Does nothing where a mesh has one rank.
class Rebalancer {
 public:
  /// Keeps a reference to the run.
  explicit Rebalancer(Run& run);

  /// Takes the costs that all ranks have measured since the latest regrid. One reduction.
  void note_costs();
  /// Moves patches if some rank has had much more work than others, then rebuilds what is derived
  /// from the mesh: exchange plans and shadows. O(patches), and the values of those that move.
  void rebalance();

  /// Seconds that a base step is expected to take of each patch, as Simulation::expected_seconds().
  std::optional<ByPatch<double>> expected_seconds() const {
    return costs_.seconds(run_.steps.time());
  }
  /// Patches that have got another rank so far.
  std::uint64_t moved_patches() const { return moved_; }

 private:
  bool is_on() const;
  void move(const ByPatch<std::int32_t>& ranks);

  Run& run_;
  Balance balance_;
  PatchCosts costs_;
  std::uint64_t moved_ = 0;
};

}  // namespace kumiko::amr
