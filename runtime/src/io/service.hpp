// Decides who polls the I/O of one scheduler: a searching worker, a sleeping one, or a timer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <kumiko/runtime/detail/parker.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/options.hpp>

#include "io/engine.hpp"
#include "io/offload_pool.hpp"
#include "io/operation.hpp"
#include "io/unique_descriptor.hpp"

namespace kumiko::runtime::detail {

class Scheduler;

/// Waits until the operation is complete. Returns false if a limit was reached before.
bool wait_within(Operation& operation, const io::Limits& limits) noexcept;

/// Which limit was reached: -ECANCELED or -ETIMEDOUT.
int error_of(const io::Limits& limits) noexcept;

/// The I/O of one Scheduler: its engine, and who polls it. Made by the first operation.
///
/// Polling is driven three ways.
/// 1. Workers that find nothing to run poll while they search, and one of those that sleep, the
///    *watcher*, sleeps until some instance has an event (in epoll_wait on all instances).
/// 2. While nobody watches, an OS thread of ours, the *timer*, asks workers that have not polled of
///    late to do so, by a bit in their poll word, and
/// 3. polls in place of those that do not answer.
///
/// That somebody watches whenever a worker sleeps and a thread waits for I/O follows from Idle:
/// such a wait without a watcher counts as visible work (Scheduler::has_visible_work()), so there
/// is a searcher, who becomes the watcher before it sleeps. The timer rests while there is a
/// watcher and nobody computes who has something to hand over, or nothing to wait for; whoever ends
/// that (a wait begins, a watcher goes, a worker runs a thread and has something to hand over)
/// changes the one before it looks at resting_, and the timer sets resting_ before it looks at
/// them, with barriers between, so at least one of them sees the other.
class IoService {
 public:
  /// \throws std::system_error if the system refuses descriptors or an OS thread, or the engine
  /// that is asked for.
  IoService(Scheduler& scheduler, IoEngine engine);
  IoService(const IoService&) = delete;
  IoService& operator=(const IoService&) = delete;

  /// No operation may be in progress, and no worker be running.
  ~IoService();

  /// Which engine kAuto means here; others as they are.
  static IoEngine resolve(IoEngine engine) noexcept;

  IoEngine kind() const noexcept { return kind_; }
  Engine& engine() noexcept { return *engine_; }

  /// Does the operation and returns its result or -errno: -ETIMEDOUT or -ECANCELED if a limit was
  /// reached before. Suspends the calling lightweight thread, which is one of the scheduler's.
  std::int64_t run(Operation& operation, const io::Limits& limits) noexcept;

  /// Does an operation of Kind::kCall or kClose as run() does, without limits.
  std::int64_t run_call(Operation& operation) noexcept;
  std::int64_t run_close(Operation& operation) noexcept;

  /// False in a child process made by fork(), which shares the engine's descriptors with its parent
  /// and must leave them alone.
  bool is_of_this_process() const noexcept;

  /// Whether there is an IoService but this one (nullptr: any) in the process.
  static bool has_others(const IoService* service) noexcept;

  /// Closes a descriptor for which threads of any scheduler may wait; for an OS thread that is not
  /// a worker. Blocks.
  static std::int64_t close_everywhere(int descriptor) noexcept;

  /// Whether some thread waits for an operation. Exact behind a barrier shared with it (see Idle).
  bool has_waits() const noexcept;

  /// How many operations threads wait for, about. Cost: two loads per worker.
  std::size_t waits() const noexcept;

  /// Polls every instance that has something.
  int poll_all() noexcept;

  // The watcher: a worker that has announced to sleep.

  /// Whether the caller is the watcher from now on.
  bool begin_watch() noexcept {
    // relaxed first, so that others leave the line alone. acq_rel: pairs with end_watch().
    return !watched_.load(std::memory_order_relaxed) &&
           !watched_.exchange(true, std::memory_order_acq_rel);
  }
  bool is_watched() const noexcept { return watched_.load(std::memory_order_acquire); }

  /// Sleeps until an instance has an event or somebody wakes `sleeper`. Returns whether it took the
  /// signal of `sleeper`.
  bool watch(Parker& sleeper) noexcept;
  void end_watch() noexcept;

  /// Wakes the timer if it rests. The caller has changed what it rests on (a wait has begun, the
  /// watcher has gone, a worker that has something to hand over begins to compute), and has passed
  /// the light barrier since.
  void wake_timer() noexcept;

 private:
  void enlist();
  void delist() noexcept;
  void begin_wait() noexcept;
  std::int64_t wait_for(Operation& operation) noexcept;
  std::int64_t close_here(int descriptor, bool keeps_open) noexcept;
  bool is_needed() const noexcept;
  void keep_time() noexcept;
  void rest(std::unique_lock<std::mutex>& lock) noexcept;
  bool ask_for_polls() noexcept;

  struct Watched {
    std::uint64_t polls = 0;
    int silent_ticks = 0;
  };

  Scheduler& scheduler_;
  const int process_;
  const IoEngine kind_;
  std::unique_ptr<Engine> engine_;
  OffloadPool blocking_;
  UniqueDescriptor all_;   ///< epoll of every instance and the bell
  UniqueDescriptor bell_;  ///< wakes the watcher
  std::atomic<bool> watched_{false};
  std::atomic<bool> resting_{false};
  std::vector<Watched> workers_;  ///< the timer's
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;     ///< guarded by mutex_
  bool stopping_ = false;  ///< guarded by mutex_
  std::thread timer_;
};

}  // namespace kumiko::runtime::detail
