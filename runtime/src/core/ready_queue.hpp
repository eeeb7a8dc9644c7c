// One worker's threads that wait their turn, the oldest first, or those of the group that ran.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <kumiko/runtime/detail/spinlock.hpp>

#include "core/turn_clock.hpp"

namespace kumiko::runtime::detail {

class PublishedGroup;
class Streak;
struct Descriptor;

/// Runnable threads in the order of their arrival, from which a worker may also take the oldest of
/// one group, in constant time.
///
/// *Invariant*, whenever the lock is free: the threads are a doubly linked list in the order of
/// their numbers (Descriptor::ticket), which grow by one with each that comes; those of a group are
/// also a singly linked list in the same order, between the ends in the group's place of this
/// worker. Hence the oldest thread of all is the oldest of its group, if it has one, and a group's
/// list loses threads at its old end only.
///
/// All of that is read and written under the lock, which also carries over what a thread did before
/// it was pushed; size_ alone is read without. Threads without a group touch no group's memory.
/// Watched by the benchmarks yield and aggregation.
class ReadyQueue {
 public:
  /// \param worker  the index of the worker that owns it
  /// \param near  what its neighbours show, until note_place(); outlives the queue
  ReadyQueue(std::size_t worker, PublishedGroup& near) noexcept : worker_(worker), near_(&near) {}

  /// The owner: its neighbours are others from now on.
  void note_place(PublishedGroup& near) noexcept;

  /// Anyone: adds a thread, behind all others.
  void push(Descriptor* thread) noexcept;

  /// Anyone: takes the oldest thread; nullptr if the queue is empty. Cost of an empty queue: one
  /// load.
  Descriptor* pop() noexcept;

  /// The owner: takes the thread whose turn it is after one of `group` (nullptr: of none) has run.
  /// A group that a neighbour shows goes before the one that ran. Shows the group that goes on, if
  /// it may be shown and no neighbour shows one.
  Descriptor* pop_after(const Aggregation* group, Streak& streak) noexcept;

  /// Whether the queue is empty: a hint, unless the caller has a full barrier in common with the
  /// last push (see Idle).
  bool empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

  /// How many threads are in the queue: a statistic.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  Descriptor* pop_of_groups_or_oldest(const Aggregation* ran, const Aggregation* shown,
                                      Streak& streak, bool& goes_on) noexcept;
  Descriptor* kin_within_bonus(const Aggregation* group) const noexcept;
  void publish(const Aggregation* group) noexcept;
  void take_from_group(Descriptor& thread) noexcept;

  SpinLock lock_;
  Descriptor* first_ = nullptr;  ///< its `previous` means nothing
  Descriptor* last_ = nullptr;   ///< means nothing while first_ is nullptr
  std::uint64_t tickets_ = 0;
  std::atomic<std::size_t> size_{0};  ///< written under the lock
  const std::size_t worker_;

  // The owner's.
  TurnClock clock_;
  PublishedGroup* near_;
  bool publishes_ = false;  ///< near_ is written by this worker
  /// The group whose row the limit has ended here. It is not followed until another's row is over,
  /// so that groups take turns although neighbours end their rows at other times.
  const Aggregation* had_its_row_ = nullptr;
};

}  // namespace kumiko::runtime::detail
