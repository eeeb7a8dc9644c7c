// Counts what each worker has done: threads run and stolen, time asleep and searching, polls.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kumiko::runtime {

/// What one worker has done since its runtime began.
struct WorkerStatistics {
  std::uint64_t spawned = 0;              ///< threads created here
  std::uint64_t executed = 0;             ///< threads that ended here
  std::uint64_t steals = 0;               ///< threads taken from another worker
  std::uint64_t failed_steals = 0;        ///< visits to another worker that brought nothing
  std::uint64_t parks = 0;                ///< times it went to sleep
  std::chrono::nanoseconds parked{0};     ///< how long it has slept, up to the latest wake-up
  std::uint64_t suspensions = 0;          ///< switches away from threads that wait or yield
  std::size_t longest_deque = 0;          ///< high-water mark of the threads that wait in its deque
  std::uint64_t polls = 0;                ///< looks for I/O that is done
  std::uint64_t empty_polls = 0;          ///< of these, those that found none
  std::chrono::nanoseconds polling{0};    ///< in empty polls, awake without work
  std::chrono::nanoseconds searching{0};  ///< awake without work, but for empty polls
  std::uint64_t group_turns = 0;   ///< turns of threads that went before others for their Group
  std::uint64_t group_limits = 0;  ///< times a Group's limit ended that
  std::uint64_t asks = 0;          ///< times it asked the others to divide what they are doing
  std::uint64_t divisions = 0;     ///< parts that it gave away since another one asked
};

/// A snapshot of all workers, each counter exact for some moment during the call.
struct Statistics {
  std::vector<WorkerStatistics> workers;  ///< by index
  std::uint64_t roots = 0;                ///< threads created by Runtime::run
  /// High-water mark: stacks made so far, at least as many as threads have lived at once.
  std::size_t stacks = 0;

  /// The sum over the workers, of longest_deque the maximum.
  WorkerStatistics total() const noexcept {
    WorkerStatistics sum;
    for (const WorkerStatistics& worker : workers) {
      sum.spawned += worker.spawned;
      sum.executed += worker.executed;
      sum.steals += worker.steals;
      sum.failed_steals += worker.failed_steals;
      sum.parks += worker.parks;
      sum.parked += worker.parked;
      sum.suspensions += worker.suspensions;
      sum.polls += worker.polls;
      sum.empty_polls += worker.empty_polls;
      sum.polling += worker.polling;
      sum.searching += worker.searching;
      sum.group_turns += worker.group_turns;
      sum.group_limits += worker.group_limits;
      sum.asks += worker.asks;
      sum.divisions += worker.divisions;
      sum.longest_deque = std::max(sum.longest_deque, worker.longest_deque);
    }
    return sum;
  }
};

}  // namespace kumiko::runtime
