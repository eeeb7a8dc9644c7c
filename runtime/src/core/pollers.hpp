// Decides who polls for a scheduler: a searching worker, a sleeping one, or a timer.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <kumiko/runtime/detail/parker.hpp>

#include "core/poller.hpp"
#include "machine/unique_descriptor.hpp"

namespace kumiko::runtime::detail {

class Scheduler;

/// The pollers of one Scheduler, and who polls them. Made with the first of them.
///
/// Polling is driven three ways.
/// 1. Workers that find nothing to run poll while they search, and one of those that sleep, the
///    *watcher*, sleeps until some instance has an event (in epoll_wait on all instances).
/// 2. While nobody watches, an OS thread of ours, the *timer*, asks workers that have not polled of
///    late to do so, by a bit in their poll word, and
/// 3. polls in place of those that do not answer.
///
/// That somebody watches whenever a worker sleeps and a thread waits for an event follows from
/// Idle: such a wait without a watcher counts as visible work (Scheduler::has_visible_work()), so
/// there is a searcher, who becomes the watcher before it sleeps. The timer rests while there is a
/// watcher and nobody computes who has something to hand over, or nothing to wait for; whoever ends
/// that (a wait begins, a watcher goes, a worker runs a thread and has something to hand over)
/// changes the one before it looks at resting_, and the timer sets resting_ before it looks at
/// them, with barriers between, so at least one of them sees the other.
class Pollers {
 public:
  /// How many may be attached to one Scheduler.
  static constexpr std::size_t kMost = 4;

  /// \throws std::system_error if the system refuses descriptors or an OS thread.
  explicit Pollers(Scheduler& scheduler);
  Pollers(const Pollers&) = delete;
  Pollers& operator=(const Pollers&) = delete;

  /// Destroys the pollers. No thread may wait for one of them, and no worker be running.
  ~Pollers();

  /// Whether none has been added yet. Cost: a load.
  bool empty() const noexcept {
    // acquire: pairs with the release in add().
    return count_.load(std::memory_order_acquire) == 0;
  }

  /// The poller of this class, nullptr if there is none. Cost: a load for each that there is.
  template <class Kind>
  Kind* find() const noexcept {
    // acquire: pairs with the release in add().
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
      if (kinds_[i] == kind_of<Kind>()) return static_cast<Kind*>(pollers_[i].get());
    }
    return nullptr;
  }

  /// The poller of this class, made by make() as a std::unique_ptr<Kind> if there is none yet.
  /// \throws what make() throws, std::system_error if the system refuses to watch it,
  /// std::logic_error if there are too many.
  template <class Kind, class Make>
  Kind& find_or_add(Make make) {
    const std::lock_guard lock(adding_);
    if (Kind* const known = find<Kind>(); known != nullptr) return *known;
    return static_cast<Kind&>(add(make(), kind_of<Kind>()));
  }

  /// To be called by a thread that has begun to wait for an event, after it has been counted.
  void wait_begun() noexcept;

  /// Whether some thread waits for an event. Exact behind a barrier shared with it (see Idle).
  bool has_waits() const noexcept;

  /// Polls an instance of every poller. Returns how many events there were.
  int poll(std::size_t instance) noexcept;

  /// Whether an instance has something left to hand over.
  bool has_unsubmitted(std::size_t instance) const noexcept;

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
  template <class Kind>
  static const void* kind_of() noexcept {
    static constexpr char kKind = 0;
    return &kKind;
  }

  Poller& add(std::unique_ptr<Poller> poller, const void* kind);
  bool is_needed() const noexcept;
  void keep_time() noexcept;
  void rest(std::unique_lock<std::mutex>& lock) noexcept;
  bool ask_for_polls() noexcept;

  /// Calls visit(poller) for each.
  template <class Visit>
  void for_each(Visit visit) const {
    // acquire: pairs with the release in add().
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) visit(*pollers_[i]);
  }

  struct Watched {
    std::uint64_t polls = 0;
    int silent_ticks = 0;
  };

  Scheduler& scheduler_;
  std::mutex adding_;
  std::array<std::unique_ptr<Poller>, kMost> pollers_;  ///< those below count_ do not change
  std::array<const void*, kMost> kinds_{};
  std::atomic<std::size_t> count_{0};
  UniqueDescriptor all_;   ///< epoll of every instance and the bell
  UniqueDescriptor bell_;  ///< wakes the watcher
  alignas(64) std::atomic<bool> watched_{false};
  std::atomic<bool> resting_{false};
  std::vector<Watched> workers_;  ///< the timer's
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;     ///< guarded by mutex_
  bool stopping_ = false;  ///< guarded by mutex_
  std::thread timer_;
};

}  // namespace kumiko::runtime::detail
