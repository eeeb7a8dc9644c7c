// Counts searching and sleeping workers, so that no work waits while all who could do it sleep.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <kumiko/runtime/detail/hardware.hpp>
#include <kumiko/runtime/detail/parker.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

#include "machine/asymmetric_barrier.hpp"

namespace kumiko::runtime::detail {

/// Those who sleep. The last one to lie down is woken first: its caches are warm.
class SleeperStack {
 public:
  explicit SleeperStack(std::size_t most) { sleepers_.reserve(most); }

  std::size_t size() const noexcept { return sleepers_.size(); }
  void push(Parker& sleeper) noexcept { sleepers_.push_back(&sleeper); }
  Parker& pop() noexcept {
    Parker& last = *sleepers_.back();
    sleepers_.pop_back();
    return last;
  }
  /// Returns whether it was there.
  bool remove(Parker& sleeper) noexcept {
    const auto place = std::find(sleepers_.begin(), sleepers_.end(), &sleeper);
    if (place == sleepers_.end()) return false;
    sleepers_.erase(place);
    return true;
  }

 private:
  std::vector<Parker*> sleepers_;
};

/// What Idle is made of.
struct IdleHardware : Hardware {
  using Number = std::uint64_t;
  using Barrier = AsymmetricBarrier;
  using Lock = SpinLock;
  using Parker = detail::Parker;
  using Sleepers = SleeperStack;
  /// More than there can be searchers.
  static constexpr Number kSleeper = Number{1} << 32;
};

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
/// tests/runtime/model runs this code on a Machine of its own, and checks the argument.
template <class Machine>
class BasicIdle {
 public:
  using Barrier = typename Machine::Barrier;
  using Parker = typename Machine::Parker;

  /// How lie_down() ended.
  enum class Lying {
    kAsleep,  ///< the caller parks
    kUp,      ///< there is work; the caller is a searcher
    kEnded
  };

  BasicIdle(std::size_t workers, Barrier& barrier)
      : workers_(workers), barrier_(barrier), sleepers_(workers) {}

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
    const Number before = state_.fetch_sub(kSearcher, std::memory_order_seq_cst);
    if (wants_searcher(before - kSearcher)) wake_one();
  }

  /// A searcher lies down (3), unless it is about to end or there is work. has_work() looks at
  /// every queue. begin_watch() comes before, for it may do the work that a wait without a watcher
  /// is (see Pollers). A caller that ends takes all the others along.
  template <class BeginWatch, class HasEnded, class HasWork>
  Lying lie_down(Parker& sleeper, BeginWatch begin_watch, HasEnded has_ended,
                 HasWork has_work) noexcept {
    announce(sleeper);
    begin_watch();
    if (has_ended()) {
      wake_all();
      return Lying::kEnded;
    }
    return has_work() && retract(sleeper) ? Lying::kUp : Lying::kAsleep;
  }

  /// Gets up again before parking; the caller is a searcher when this returns true. If it returns
  /// false somebody has already woken it, and it is one as soon as it has parked (at once).
  bool retract(Parker& sleeper) noexcept;

  /// Whether all workers sleep, at some moment during the call.
  bool all_asleep() const noexcept {
    return state_.load(std::memory_order_seq_cst) == kSleeper * workers_;
  }

  /// Whether somebody searches or sleeps: a hint.
  bool has_idle_workers() const noexcept { return state_.load(std::memory_order_relaxed) != 0; }

  /// Whether somebody sleeps: a hint.
  bool has_sleepers() const noexcept { return state_.load(std::memory_order_relaxed) >= kSleeper; }

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
  using Number = typename Machine::Number;

  static constexpr auto kSleeper = Machine::kSleeper;
  static constexpr decltype(Machine::kSleeper) kSearcher = 1;

  static bool wants_searcher(const Number& state) noexcept {
    return state >= kSleeper && state % kSleeper == 0;
  }

  void announce(Parker& sleeper) noexcept;
  void wake_one() noexcept;

  /// Sleepers (upper half) and searchers (lower half). The sleepers change under guard_ only.
  typename Machine::template Atomic<Number> state_{0};
  const std::size_t workers_;
  Barrier& barrier_;
  typename Machine::Lock guard_;
  typename Machine::Sleepers sleepers_;
};

template <class Machine>
void BasicIdle<Machine>::announce(Parker& sleeper) noexcept {
  {
    const std::lock_guard lock(guard_);
    sleepers_.push(sleeper);
    state_.fetch_add(kSleeper - kSearcher, std::memory_order_seq_cst);
  }
  barrier_.heavy();
}

template <class Machine>
bool BasicIdle<Machine>::retract(Parker& sleeper) noexcept {
  const std::lock_guard lock(guard_);
  if (!sleepers_.remove(sleeper)) return false;
  state_.fetch_sub(kSleeper - kSearcher, std::memory_order_seq_cst);
  return true;
}

template <class Machine>
void BasicIdle<Machine>::wake_one() noexcept {
  Parker* woken = nullptr;
  {
    const std::lock_guard lock(guard_);
    // Somebody else may have woken one since the caller looked. A searcher seen here does as well
    // as one seen there: the work is visible since before either look.
    if (!wants_searcher(state_.load(std::memory_order_relaxed))) return;
    woken = &sleepers_.pop();
    state_.fetch_sub(kSleeper - kSearcher, std::memory_order_seq_cst);
  }
  woken->unpark();
}

template <class Machine>
void BasicIdle<Machine>::wake_all() noexcept {
  for (;;) {
    Parker* woken = nullptr;
    {
      const std::lock_guard lock(guard_);
      if (sleepers_.size() == 0) return;
      woken = &sleepers_.pop();
      state_.fetch_sub(kSleeper - kSearcher, std::memory_order_seq_cst);
    }
    woken->unpark();
  }
}

using Idle = BasicIdle<IdleHardware>;

extern template class BasicIdle<IdleHardware>;

}  // namespace kumiko::runtime::detail
