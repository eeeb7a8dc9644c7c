// What the workers know of an aggregation group, and who keeps that.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/own_counter.hpp"
#include "core/tuning_trial.hpp"

namespace kumiko::runtime::detail {

struct Descriptor;

/// A group as the workers see it (see Group). Its settings are read and written relaxed: a worker
/// that reads an old one decides as it would have a moment earlier.
class Aggregation {
 public:
  /// One worker's part, in a line of its own.
  struct alignas(64) Place {
    // The group's threads in this worker's ReadyQueue, the oldest first; guarded by its lock.
    Descriptor* first = nullptr;
    Descriptor* last = nullptr;
    // Threads that got the group here, and that ended here; written by this worker only.
    OwnCounter joined;
    OwnCounter left;
    // See TurnClock; written by this worker only.
    OwnCounter turns;
    OwnCounter ticks;
  };

  Aggregation(std::size_t workers, int index)
      : number(index), places_(std::make_unique<Place[]>(workers)), workers_(workers) {}

  Place& place(std::size_t worker) const noexcept { return places_[worker]; }

  /// Whether no thread has the group. Exact, and for good, where no handle is left to give it: what
  /// has left is read before what has joined, and a thread joins before the one that it inherits
  /// from leaves, so equal sums mean that none had it when the last one left.
  bool is_deserted() const noexcept;

  /// Those that were measured so far, on all workers, and their time.
  EpochTurns turns() const noexcept;

  const int number;  ///< its place among the records of its Scheduler, from 0
  std::string name;  ///< written under the lock of Aggregations, while no handle has the record
  std::atomic<int> bonus{0};
  std::atomic<int> limit{0};
  std::atomic<bool> on{false};
  std::atomic<bool> published{false};
  std::atomic<bool> timed{false};  ///< whether the workers measure its turns

 private:
  std::unique_ptr<Place[]> places_;
  std::size_t workers_;
};

// A thread's group, from its spawn to its end; a Descriptor without a thread has none. To be called
// on a worker.

/// Gives a thread that has been made, but not started, this group.
void join_group(Descriptor& thread, Aggregation& group) noexcept;

/// Gives it the group of its creator, unless it has one.
void inherit_group(Descriptor& thread, const Descriptor& creator) noexcept;

/// Takes the group from a thread that has ended and has one.
void leave_group(Descriptor& thread) noexcept;

/// Keeps the groups of one Scheduler. A record is used again, for another group, when its handle
/// and all its threads have ended, but its memory stays until the end: a worker may compare, and
/// look into, the record of a thread that ran a while ago. At worst it prefers once who came after.
class Aggregations {
 public:
  explicit Aggregations(std::size_t workers) noexcept : workers_(workers) {}

  /// A record for a new group. Cost: a lock, and a look at each record whose threads have outlived
  /// their handle. \throws std::bad_alloc
  Aggregation& take(std::string name);

  /// The handle has ended.
  void give(Aggregation& record) noexcept;

  /// Whether records keep their names: then none is used again, and each new group gets a new one.
  /// For a trace that is being recorded, which has the numbers of records.
  void keep_names(bool keep) noexcept;

  /// The names of all records by number, also of those whose groups have ended.
  /// \throws std::bad_alloc
  std::vector<std::string> names() const;

 private:
  const std::size_t workers_;
  mutable std::mutex mutex_;
  bool keeps_names_ = false;
  std::vector<std::unique_ptr<Aggregation>> all_;
  std::vector<Aggregation*> given_;  ///< has room for all
};

}  // namespace kumiko::runtime::detail
