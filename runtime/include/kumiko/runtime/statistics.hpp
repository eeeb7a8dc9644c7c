// Counters of each worker: threads run and stolen, time asleep and searching, polls.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kumiko::runtime {

/// Counters of one worker since its runtime began.
struct WorkerStatistics {
  std::uint64_t spawned = 0;              ///< threads created here
  std::uint64_t executed = 0;             ///< threads that ended here
  std::uint64_t steals = 0;               ///< threads taken from another worker
  std::uint64_t failed_steals = 0;        ///< visits to another worker that found no thread
  std::uint64_t parks = 0;                ///< times it went to sleep
  std::chrono::nanoseconds parked{0};     ///< how long it has slept, up to the latest wake-up
  std::uint64_t suspensions = 0;          ///< switches away from threads that wait or yield
  std::size_t longest_deque = 0;          ///< high-water mark of the threads that wait in its deque
  std::uint64_t polls = 0;                ///< polls for completed I/O
  std::uint64_t empty_polls = 0;          ///< polls that found none
  std::chrono::nanoseconds polling{0};    ///< time in empty polls, awake without work
  std::chrono::nanoseconds searching{0};  ///< time awake without work, except empty polls
  std::uint64_t group_turns = 0;   ///< turns of threads that were preferred because of their Group
  std::uint64_t group_limits = 0;  ///< times that a Group's limit ended a row of such turns
  std::uint64_t asks = 0;          ///< times it asked the others to divide their work
  std::uint64_t divisions = 0;     ///< parts that it gave away because another worker asked
};

/// A snapshot of all workers, each counter exact for some moment during the call.
struct Statistics {
  std::vector<WorkerStatistics> workers;  ///< by index
  std::uint64_t roots = 0;                ///< threads created by Runtime::run
  /// The number of stacks made so far, which is at least the largest number of threads that existed
  /// at the same time.
  std::size_t stacks = 0;

  /// The sum over the workers; for longest_deque, the maximum.
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
