// One base step of every level: subcycled, level by level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/simulation.hpp>

#include "ghost_exchange.hpp"

namespace kumiko::amr {

/// Level-synchronous subcycling after Berger & Oliger (J. Comput. Phys. 53, 1984), ratio 2: every
/// phase is one parallel loop over the patches of one level, and the next starts when all are done.
class TimeStepper {
 public:
  TimeStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver, Backend& backend,
              const GhostExchange& exchange, const SimulationOptions& options);

  /// Prepares the coefficients of patches that came to a level at a time.
  /// Throws CflError when a patch's CFL number exceeds the solver's limit.
  void prepare(int level, const std::vector<std::size_t>& slots, double time);

  /// Takes all levels from time to time + dt. With an unsteady velocity it throws CflError as
  /// prepare() does; the levels then stand at different times.
  void base_step(double time);

  void count_regrid() { ++counters_.regrids; }
  const WorkCounters& counters() const { return counters_; }

 private:
  /// A level's position within its coarse step: substep 0 or 1.
  void step_level(int level, double time, int substep);
  void advance_level(int level, double time, const GhostTime& ghosts);
  void fill_next_ghosts(int level, const GhostTime& ghosts);
  void restrict_level(int fine_level);
  double cfl_of(const PatchId& id, double time, double base_dt,
                std::span<double> coefficients) const;
  void check_cfl(int level, double time) const;
  std::int64_t smallest_steps(const PatchId& id, double time) const;
  double level_dt(int level) const { return dt_ / static_cast<double>(1 << level); }
  void close_base_step();

  /// Point updates of one worker in the current base step, on a cache line of its own.
  struct alignas(64) WorkerUpdates {
    std::uint64_t count = 0;
  };

  Hierarchy& hierarchy_;
  const Case& case_;
  const Solver& solver_;
  Backend& backend_;
  const GhostExchange& exchange_;
  SimulationOptions options_;
  double dt_;
  std::vector<WorkerUpdates> step_updates_;
  std::vector<double> cfl_;  ///< by slot, of the patches prepared last
  WorkCounters counters_;
};

}  // namespace kumiko::amr
