// Threads that share data, run one after another on each worker while the data are in its cache.
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

/// What the maker of a Group may choose.
struct GroupOptions {
  /// Names the group in messages and traces.
  std::string name = {};
  /// Strength: how many turns a ready thread of somebody else may be overtaken, at most, while it
  /// waits. 0: never. From 0 to 10^9.
  int bonus = 1'000'000;
  /// How many turns in a row a worker may prefer the group before the thread that has waited
  /// longest has its turn. From 0 to 10^6. Each row begins with the group's data being fetched: a
  /// hundred turns make up for that where a turn takes longer than it, a thousand where turns of a
  /// microsecond share some 64 KiB.
  int limit = 1000;
  /// Whether the group is preferred at all.
  bool on = true;
  /// Whether a worker that goes on with the group may publish it. For groups whose threads read,
  /// and whose data are so large that a shared cache cannot hold those of two groups. Threads that
  /// write the same lines on several workers lose by it.
  bool published = false;
};

/// An *aggregation group*: threads that are likely to share data. Where a thread of the group has
/// run on a worker, the worker's next turn goes to a ready thread of the same group rather than to
/// the one that has waited longest, while bonus and limit allow. After Yamada and Kusakabe's
/// Inter-core Time Aggregation Scheduler (2010), with turns in place of run time.
///
/// A thread is given a group when it is spawned (Thread, TaskGroup::run), and what it spawns
/// inherits it. It is not a TaskGroup: nobody waits for a Group.
///
/// *What is ordered*: threads of one worker that yielded, or that were sent there (run_near()), and
/// that are first in, first out otherwise. Threads that were woken or have spawned go on as without
/// groups, the youngest first, next to whoever woke them. Threads whose I/O is done and those from
/// outside have their turns as without groups.
///
/// *How long a ready thread waits*: with n threads waiting on its worker, itself included, and a
/// largest limit k, another n (k + 1) - 1 turns of such threads at most; and each thread that came
/// later goes before it at most once, `bonus` of them at most. No worker idles for a group's sake,
/// and thieves take a group's threads like any.
///
/// A group that may be *published* is shown to the workers below the same last-level cache (to all
/// where the system does not tell) while a worker goes on with it, until another thread that
/// yielded there goes, and unless one of them shows another. They prefer it to the group that ran
/// there, as far as its bonus and limit allow; where the limit has ended its row, others have
/// theirs first.
///
/// Cost without groups: four instructions at a spawn and join, 27 at a yield, none at a theft.
/// With: constant time at each turn, and 64 bytes per worker.
///
/// A Group that has been moved from may be assigned to, or destroyed, only.
///
/// The functions that change something may be called by any thread at any time, and count from the
/// next turn on.
class Group {
 public:
  /// A group for threads of `runtime`. \throws std::invalid_argument for a bonus or a limit outside
  /// its range, std::bad_alloc.
  explicit Group(const Runtime& runtime, GroupOptions options = {});

  /// As it was given.
  const std::string& name() const noexcept;

  /// See GroupOptions. \throws std::invalid_argument as the constructor does; nothing changes then.
  void set_bonus(int turns);
  /// As set_bonus().
  void set_limit(int turns);
  /// See GroupOptions.
  void set_on(bool on) noexcept;
  /// As set_on().
  void set_published(bool published) noexcept;

  /// See GroupOptions; as it is now.
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
