// Aggregation groups: threads that share data run one after another on each worker while the data
// are in its cache.
#pragma once

#include <memory>
#include <string>

#include <kumiko/runtime/detail/spawn.hpp>

namespace kumiko::runtime {

class Runtime;

namespace detail {
class Aggregation;
class Aggregations;
}  // namespace detail

/// Options of a Group.
struct GroupOptions {
  /// Names the group in messages and traces.
  std::string name = {};
  /// The largest number of turns by which threads of this group may overtake a waiting ready thread
  /// outside the group. 0: it is never overtaken. From 0 to 10^9.
  int bonus = 1'000'000;
  /// How many turns in a row a worker may prefer the group before the thread that has waited
  /// longest has its turn. From 0 to 10^6. Each row of turns begins by fetching the group's data. A
  /// hundred turns make up for that if a turn takes longer than the fetch; a thousand turns make up
  /// for it if turns of a microsecond share about 64 KiB.
  int limit = 1000;
  /// Whether the group is preferred at all.
  bool on = true;
  /// Whether a worker that continues with the group may publish it to other workers. Use it for
  /// groups whose threads read, and whose data are so large that a shared cache cannot hold the
  /// data of two groups. If threads write the same cache lines on several workers, publishing makes
  /// them slower.
  bool published = false;
};

/// An *aggregation group*: threads that are likely to share data. After a thread of the group has
/// run on a worker, the worker prefers a ready thread of the same group for its next turn, instead
/// of the thread that has waited longest, while bonus and limit allow. After Yamada and Kusakabe's
/// Inter-core Time Aggregation Scheduler (2010), with turns in place of run time.
///
/// A thread gets its group when it is spawned (Thread, TaskGroup::run); the threads that it spawns
/// inherit it. A Group is not a TaskGroup: no thread waits for a Group.
///
/// *Which threads are reordered*: the threads in one worker's queue, which have yielded or were
/// sent there (run_near()) and otherwise run first in, first out. Groups do not affect the other
/// threads: threads that were woken, or that have spawned, run on the worker that woke them, the
/// youngest first; threads whose I/O is done and threads from outside the workers have their own
/// turns.
///
/// *How long a ready thread waits*: at most n (k + 1) - 1 turns of such threads, if n threads wait
/// on its worker, itself included, and k is the largest limit. At most `bonus` threads that arrived
/// later overtake it, each at most once. No worker stays idle because of a group, and thieves steal
/// a group's threads like any others.
///
/// If a group may be *published*, a worker that continues with it shows it to the workers below the
/// same last-level cache (to all workers if the system does not describe the caches). It does so
/// until it runs another thread that has yielded, and only if no other worker shows a group. The
/// other workers then prefer the published group to the group that ran last on them, as far as its
/// bonus and limit allow. If the limit has ended the group's row of turns on a worker, other groups
/// have their rows on that worker first.
///
/// Cost without groups: four instructions for a spawn and join, 27 for a yield, none for a theft.
/// Cost with groups: constant time at each turn, and 64 bytes per group and worker.
///
/// A Group that has been moved from may only be assigned to or destroyed.
///
/// The functions that change something may be called by any thread at any time. The change takes
/// effect at the next turn.
class Group {
 public:
  /// A group for threads of `runtime`. \throws std::invalid_argument for a bonus or a limit outside
  /// its range, std::bad_alloc.
  explicit Group(const Runtime& runtime, GroupOptions options = {});

  /// The name given in the options.
  const std::string& name() const noexcept;

  /// See GroupOptions. \throws std::invalid_argument as the constructor does; nothing changes then.
  void set_bonus(int turns);
  /// As set_bonus().
  void set_limit(int turns);
  /// See GroupOptions.
  void set_on(bool on) noexcept;
  /// As set_on().
  void set_published(bool published) noexcept;

  /// The current value; see GroupOptions.
  int bonus() const noexcept;
  /// As bonus().
  int limit() const noexcept;
  /// As bonus().
  bool is_on() const noexcept;
  /// As bonus().
  bool is_published() const noexcept;

 private:
  friend class GroupTuner;
  friend void detail::check_group(const Group& group);
  friend void detail::admit(detail::Descriptor& thread, const Group& group) noexcept;

  /// Gives the record back when the handle ends; threads keep the group until their own end.
  struct GiveBack {
    std::shared_ptr<detail::Aggregations> records;
    void operator()(detail::Aggregation* record) const noexcept;
  };

  detail::Aggregation& record() const noexcept { return *record_; }

  std::unique_ptr<detail::Aggregation, GiveBack> record_;
};

}  // namespace kumiko::runtime
