// Decides who polls for a scheduler: a searching worker, a sleeping one, or a timer.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <kumiko/runtime/detail/parker.hpp>

#include "core/poller.hpp"
#include "core/watch.hpp"
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
/// See Watch for why somebody watches whenever a worker sleeps and a thread waits for an event, and
/// why the timer does not rest while it is needed.
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
  /// \throws what make() throws, std::system_error if the system refuses to watch it or there are
  /// too many.
  template <class Kind, class Make>
  Kind& find_or_add(Make make) {
    const std::lock_guard lock(adding_);
    if (Kind* const known = find<Kind>(); known != nullptr) return *known;
    return static_cast<Kind&>(add(make(), kind_of<Kind>()));
  }

  /// Adds one beside others of its class, and has it looked after from now on.
  /// \throws as find_or_add()
  void attach(std::unique_ptr<Poller> poller) {
    {
      const std::lock_guard lock(adding_);
      // relaxed: ordered by count_, behind which the poller is seen.
      if (poller->is_shared()) has_shared_.store(true, std::memory_order_relaxed);
      add(std::move(poller), nullptr);
    }
    wait_begun();
  }

  /// Whether a shared one is there, which must not be polled on a lightweight thread's stack.
  bool has_shared() const noexcept { return has_shared_.load(std::memory_order_relaxed); }

  /// To be called by a thread that has begun to wait for an event, after it has been counted.
  void wait_begun() noexcept;

  /// Whether some thread waits for an event. Exact behind a barrier shared with it (see Idle).
  bool has_waits() const noexcept;

  /// Whether nothing but one shared poller has waits. Exact as has_waits() is.
  bool only_a_source_has_waits() const noexcept;

  /// Polls an instance of every poller, shared ones as for a worker that has nothing else to run if
  /// `idle`. Returns how many events there were.
  int poll(std::size_t instance, bool idle) noexcept;

  /// Whether an instance has something left to hand over; whether any has.
  bool has_unsubmitted(std::size_t instance) const noexcept;
  bool has_unsubmitted() const noexcept;

  /// Polls every instance that has something, but passes by those of other workers that are awake,
  /// who will look soon: a thread stays with its worker and in its caches, and does not go to
  /// whoever looks most often.
  /// \param passed_by  how many times in a row the caller has done so; after
  ///     tunables::kPollsPassedBy times it takes everything. Updated.
  /// \return how many events there were
  int poll_all(std::size_t self, int& passed_by) noexcept;

  // The watcher: a worker that has announced to sleep.

  /// Whether the caller is the watcher from now on.
  bool begin_watch() noexcept { return watch_.begin(); }
  bool is_watched() const noexcept { return watch_.is_on(); }

  /// Sleeps until an instance has an event or somebody wakes `sleeper`. Returns whether it took the
  /// signal of `sleeper`.
  bool watch(Parker& sleeper) noexcept;
  void end_watch() noexcept { watch_.end(); }

  /// To be called by a worker that has something to hand over and begins to compute.
  void leave_to_timer() noexcept { watch_.leave_to_timer(); }

 private:
  template <class Kind>
  static const void* kind_of() noexcept {
    static constexpr char kKind = 0;
    return &kKind;
  }

  Poller& add(std::unique_ptr<Poller> poller, const void* kind);
  void keep_time() noexcept;
  bool ask_for_polls() noexcept;

  /// Calls visit(poller) for each.
  template <class Visit>
  void for_each(Visit visit) const {
    // acquire: pairs with the release in add().
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) visit(*pollers_[i]);
  }

  bool shared_have_news() noexcept;
  bool is_shared(std::uint64_t place) const noexcept;

  struct Watched {
    std::uint64_t polls = 0;
    int silent_ticks = 0;
  };

  Scheduler& scheduler_;
  std::mutex adding_;
  std::array<std::unique_ptr<Poller>, kMost> pollers_;  ///< those below count_ do not change
  std::array<const void*, kMost> kinds_{};
  std::atomic<std::size_t> count_{0};
  std::atomic<bool> has_shared_{false};
  std::atomic<bool> woken_by_instance_{false};  ///< the watcher, and nobody has looked since
  UniqueDescriptor all_;                        ///< epoll of every instance and the bell
  UniqueDescriptor bell_;                       ///< wakes the watcher
  Watch watch_;
  std::vector<Watched> workers_;  ///< the timer's
  std::thread timer_;
};

}  // namespace kumiko::runtime::detail
