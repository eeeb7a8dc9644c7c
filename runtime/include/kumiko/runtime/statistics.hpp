#pragma once

#include <cstdint>
#include <vector>

namespace kumiko::runtime {

/// What one worker has done since its runtime began.
struct WorkerStatistics {
  std::uint64_t spawned = 0;        ///< threads created here
  std::uint64_t executed = 0;       ///< threads that ended here
  std::uint64_t steals = 0;         ///< threads taken from another worker
  std::uint64_t failed_steals = 0;  ///< visits to another worker that brought nothing
  std::uint64_t parks = 0;          ///< times it went to sleep
};

/// A snapshot of all workers, each counter exact for some moment during the call.
struct Statistics {
  std::vector<WorkerStatistics> workers;
  std::uint64_t roots = 0;  ///< threads created by Runtime::run

  /// The sum over the workers.
  WorkerStatistics total() const noexcept {
    WorkerStatistics sum;
    for (const WorkerStatistics& worker : workers) {
      sum.spawned += worker.spawned;
      sum.executed += worker.executed;
      sum.steals += worker.steals;
      sum.failed_steals += worker.failed_steals;
      sum.parks += worker.parks;
    }
    return sum;
  }
};

}  // namespace kumiko::runtime
