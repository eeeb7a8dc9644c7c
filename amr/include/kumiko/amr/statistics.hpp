// Counters of every worker: point updates, busy and waiting time, steals, the longest waits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

/// Counters of one worker for one base step, or for all of them.
struct WorkerLoad {
  std::uint64_t updates = 0;  ///< points advanced
  double busy_s = 0.0;        ///< time at work on patches
  /// Time between two pieces of work: idle, searching, switching. It belongs to the piece that
  /// follows, or to the last base step before a regrid.
  double wait_s = 0.0;
  std::uint64_t steals = 0;  ///< threads taken from other workers

  WorkerLoad& operator+=(const WorkerLoad& other);
  WorkerLoad& operator-=(const WorkerLoad& other);
};

/// Counters of one base step. Work belongs to the base step of the patch that was advanced,
/// independent of when it was done.
struct BaseStepLoad {
  int step = 0;
  std::vector<WorkerLoad> workers;
};

/// Why a patch could not continue.
enum class WaitCause {
  kSibling,  ///< the awaited patch, a neighbour of the same level, had not reached the same time
  kCoarser,  ///< the awaited patch, of the level below, had not filled its ghosts
  kParent,   ///< the parent had not taken over the result of the previous step
  kChild,    ///< the awaited child had not caught up
  kLevel     ///< the level's slowest patch was not done: a worker's wait at the end of a phase
};

/// "sibling", "coarser", "parent", "child", "level".
std::string_view to_string(WaitCause cause);

/// One wait of a block of patches for another block; each is named after its first patch, so that
/// the two patches need not be neighbours. With level-synchronous stepping, of a worker.
struct PatchWait {
  double seconds = 0.0;
  int step = 0;    ///< base step
  int worker = 0;  ///< the worker that continued after the wait
  WaitCause cause = WaitCause::kSibling;
  PatchId patch;  ///< whose block waited; for kLevel, the last patch of the worker before the wait
  PatchId awaited;  ///< whose block it waited for
};

/// Always-on counts of the work done.
struct WorkCounters {
  std::vector<std::uint64_t> updates_per_level;
  /// Totals of the run, by worker, for the largest number of workers that it has had.
  std::vector<WorkerLoad> workers;
  std::uint64_t regrids = 0;
  double largest_cfl = 0.0;  ///< the largest CFL number of any step of any patch
  /// Σ over base steps of the largest number of point updates of any worker.
  std::uint64_t sum_of_largest = 0;
  /// Σ over base steps of the mean number of point updates of a worker.
  double sum_of_means = 0.0;
  /// The longest waits, the longest first, kLongestWaits at most.
  std::vector<PatchWait> longest_waits;

  static constexpr std::size_t kLongestWaits = 10;

  std::uint64_t updates() const;
  /// The sum over all workers.
  WorkerLoad total() const;
  /// sum_of_largest ÷ sum_of_means: 1 is perfect, more is worse. (The reference thesis calls it
  /// load-balance efficiency.)
  double imbalance() const;
};

}  // namespace kumiko::amr
