// Counts searching and sleeping workers, so that no work waits while all who could do it sleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <kumiko/runtime/detail/parker.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

#include "machine/asymmetric_barrier.hpp"

namespace kumiko::runtime::detail {

/// Who looks for work, who sleeps, and who must be woken.
///
/// A worker is *busy*, *searching*, or *asleep*. The invariant, wherever no step is half done:
///
///     If work is visible (in a queue) and somebody sleeps, then somebody searches.
///
/// It follows that no work waits beside sleeping workers, since a searcher either finds work and
/// leaves another searcher behind, or sleeps only after it has looked at every queue again. Each
/// transition keeps it:
///
/// 1. *Work appears.* The producer stores it in a queue, passes the light barrier, and loads
///    state_. If it reads "somebody sleeps, nobody searches" it makes one sleeper a searcher.
///    If it reads a searcher S: see 2 and 3 for what S does next. If it reads that nobody sleeps,
///    whoever falls asleep later does so by 3.
/// 2. *A searcher finds work* and is busy. If it was the last searcher it passes on the duty: it
///    makes one sleeper, if there is any, a searcher, which looks at all queues.
/// 3. *A searcher gives up.* It changes state_ (one more sleeper, one less searcher), passes the
///    heavy barrier, looks at every queue, and sleeps only if all are empty. This is Dekker's
///    pattern: of the producer's store and load and the sleeper's change and look at least one side
///    sees the other: either the producer reads state_ as changed, and then wakes somebody by 1, or
///    the sleeper sees the work, and becomes a searcher again (retract).
///
/// Only one searcher at a time is woken for a burst of work; each that finds some wakes the next,
/// so n workers are up after about n steps, and no producer pays for more than one system call.
/// (Waking one for every spawn was rejected: the system calls cost more than the threads.)
/// Model-checked in tests/runtime/model, as are Deque, Parker and JoinCounter.
class Idle {
 public:
  Idle(std::size_t workers, AsymmetricBarrier& barrier) : workers_(workers), barrier_(barrier) {
    sleepers_.reserve(workers);
  }

  /// Wakes a sleeper if need be; to be called after work has become visible. Cost while somebody
  /// searches or nobody sleeps: one load.
  void work_appeared() noexcept {
    barrier_.light();
    if (wants_searcher(state_.load(std::memory_order_relaxed))) wake_one();
  }

  /// A busy worker begins to search.
  void begin_search() noexcept { state_.fetch_add(kSearcher, std::memory_order_relaxed); }

  /// A searcher has found work (2).
  void end_search() noexcept {
    // seq_cst: not before the queue operation that found the work.
    const std::uint64_t before = state_.fetch_sub(kSearcher, std::memory_order_seq_cst);
    if (wants_searcher(before - kSearcher)) wake_one();
  }

  /// A searcher lies down (3). The caller looks at every queue next, then calls retract() or parks.
  void announce(Parker& sleeper) noexcept;

  /// Gets up again before parking; the caller is a searcher when this returns true. If it returns
  /// false somebody has already woken it, and it is one as soon as it has parked (at once).
  bool retract(Parker& sleeper) noexcept;

  /// Whether all workers sleep, at some moment during the call.
  bool all_asleep() const noexcept {
    return state_.load(std::memory_order_seq_cst) == kSleeper * workers_;
  }

  /// Whether somebody searches or sleeps: a hint.
  bool has_idle_workers() const noexcept { return state_.load(std::memory_order_relaxed) != 0; }

  /// Calls visit() if all workers sleep, the caller included, and keeps them asleep until it
  /// returns. Returns whether they did.
  template <class Visit>
  bool while_all_sleep(Visit visit) {
    const std::lock_guard lock(guard_);
    if (sleepers_.size() != workers_) return false;
    visit();
    return true;
  }

  /// Makes this sleeper a searcher, if it is seen to be one. Cost while nobody sleeps: one load.
  bool wake(Parker& sleeper) noexcept {
    // relaxed: a hint, that spares the lock; the caller calls work_appeared() next.
    if (state_.load(std::memory_order_relaxed) < kSleeper || !retract(sleeper)) return false;
    sleeper.unpark();
    return true;
  }

  /// Makes every sleeper a searcher.
  void wake_all() noexcept;

 private:
  static constexpr std::uint64_t kSearcher = 1;
  static constexpr std::uint64_t kSleeper = std::uint64_t{1} << 32;

  static bool wants_searcher(std::uint64_t state) noexcept {
    return state >= kSleeper && state % kSleeper == 0;
  }

  void wake_one() noexcept;

  /// Sleepers (upper half) and searchers (lower half). The sleepers change under guard_ only.
  std::atomic<std::uint64_t> state_{0};
  const std::size_t workers_;
  AsymmetricBarrier& barrier_;
  SpinLock guard_;
  std::vector<Parker*> sleepers_;  ///< the last one to lie down is woken first: its caches are warm
};

}  // namespace kumiko::runtime::detail
