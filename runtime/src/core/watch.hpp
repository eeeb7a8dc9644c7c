// Who watches for events while workers sleep, and when the timer that polls in their place may
// rest.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include <kumiko/runtime/detail/hardware.hpp>

#include "machine/asymmetric_barrier.hpp"

namespace kumiko::runtime::detail {

/// What wakes the timer.
class Alarm {
 public:
  using Lock = std::unique_lock<std::mutex>;

  void ring() noexcept {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_one();
  }
  /// Rings for ever.
  void stop() noexcept {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
  }

  // The timer, which holds the lock all the time but while it waits.

  Lock lock() noexcept { return Lock(mutex_); }
  bool is_stopping() const noexcept { return stopping_; }
  /// What has rung until now does not count.
  void forget() noexcept { rung_ = false; }
  void wait(Lock& lock) noexcept {
    changed_.wait(lock, [this] { return rung_ || stopping_; });
  }
  /// Waits for the stop only.
  template <class Period>
  void wait_for(Lock& lock, Period period) noexcept {
    changed_.wait_for(lock, period, [this] { return stopping_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;      ///< guarded by mutex_
  bool stopping_ = false;  ///< guarded by mutex_
};

/// What a Watch is made of.
struct WatchHardware : Hardware {
  using Flag = bool;
  using Barrier = AsymmetricBarrier;
  using Alarm = detail::Alarm;
};

/// Whether some worker is the watcher, and whether the timer rests; see Pollers for both.
///
/// That somebody watches whenever a worker sleeps and a thread waits for an event follows from
/// Idle: such a wait without a watcher counts as visible work (Scheduler::has_visible_work()), so
/// there is a searcher, who becomes the watcher before it sleeps. The timer rests while there is a
/// watcher and nobody computes who has something to hand over, or nothing to wait for; whoever ends
/// that (a wait begins, a watcher goes, a worker runs a thread and has something to hand over)
/// changes the one before it looks at resting_, and the timer sets resting_ before it looks at
/// them, with barriers between, so at least one of them sees the other.
/// tests/runtime/model runs this code on a Machine of its own, and checks the argument.
template <class Machine>
class BasicWatch {
 public:
  using Barrier = typename Machine::Barrier;
  using Alarm = typename Machine::Alarm;

  explicit BasicWatch(Barrier& barrier) : barrier_(barrier) {}

  /// A worker that has announced to sleep: whether it is the watcher from now on.
  bool begin() noexcept {
    // relaxed first, so that others leave the line alone. acq_rel: pairs with end().
    return !watched_.load(std::memory_order_relaxed) &&
           !watched_.exchange(true, std::memory_order_acq_rel);
  }
  bool is_on() const noexcept { return watched_.load(std::memory_order_acquire); }

  /// The watcher goes.
  void end() noexcept {
    // release: pairs with begin(). The barrier below orders it with resting_.
    watched_.store(false, std::memory_order_release);
    leave_to_timer();
  }

  /// A thread has begun to wait for an event, and has been counted.
  template <class Idle>
  void wait_begun(Idle& idle) noexcept {
    // Pairs with the heavy ones in Idle::lie_down() and rest(), for if the watcher that is seen
    // here goes, the next one to lie down and the timer must see the wait.
    barrier_.light();
    if (is_on()) return;
    // Like any other work, this wants somebody who looks after it. The barrier in it is also the
    // one between the wait and resting_.
    idle.work_appeared();
    wake_timer();
  }

  /// Wakes the timer if it rests. The caller has changed what it rests on.
  void leave_to_timer() noexcept {
    barrier_.light();  // pairs with the one in rest()
    wake_timer();
  }

  /// Whether the timer must not rest. It is needed even while there is a watcher, for a worker may
  /// compute that has something to hand over. `polling` tells of has_waits(), and of
  /// has_unsubmitted() in any instance.
  template <class Polling>
  bool needs_timer(const Polling& polling) const noexcept {
    if (!polling.has_waits()) return false;
    return !is_on() || polling.has_unsubmitted();
  }

  /// The timer sleeps until woken, unless it is needed.
  template <class Lock, class Polling>
  void rest(Lock& lock, const Polling& polling) noexcept {
    alarm_.forget();
    resting_.store(true, std::memory_order_relaxed);
    // Pairs with the light ones of those who change what needs_timer() looks at.
    barrier_.heavy();
    if (!needs_timer(polling)) {
      // Meanwhile a wait may have begun beside a watcher that had gone already, but was still seen.
      // From here on such a watcher sees that we rest; and we see such a wait.
      barrier_.heavy();
      if (!needs_timer(polling)) alarm_.wait(lock);
    }
    resting_.store(false, std::memory_order_relaxed);
  }

  Alarm& alarm() noexcept { return alarm_; }

 private:
  using Flag = typename Machine::Flag;

  void wake_timer() noexcept {
    if (!resting_.load(std::memory_order_relaxed)) return;
    alarm_.ring();
  }

  Barrier& barrier_;
  alignas(64) typename Machine::template Atomic<Flag> watched_{false};
  typename Machine::template Atomic<Flag> resting_{false};
  Alarm alarm_;
};

using Watch = BasicWatch<WatchHardware>;

}  // namespace kumiko::runtime::detail
