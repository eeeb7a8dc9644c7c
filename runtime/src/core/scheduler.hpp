// What the workers of one Runtime share: their start and end, work from outside, pollers, reports.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <kumiko/runtime/options.hpp>
#include <kumiko/runtime/policy/waiting.hpp>
#include <kumiko/runtime/source_location.hpp>
#include <kumiko/runtime/statistics.hpp>

#include "core/aggregation.hpp"
#include "core/diversion.hpp"
#include "core/idle.hpp"
#include "core/join_state.hpp"
#include "core/pollers.hpp"
#include "core/published_group.hpp"
#include "core/thread_queue.hpp"
#include "core/worker.hpp"
#include "machine/topology.hpp"
#include "record/descriptor.hpp"
#include "record/stack_pool.hpp"
#include "time/timekeeper.hpp"

namespace kumiko::runtime::detail {

/// What the workers of one Runtime share: depots, the queue from outside, who is idle, the end.
class Scheduler {
 public:
  /// Starts options.workers workers, at least one. The options are valid.
  /// \throws std::system_error if the system refuses an OS thread; none is left running then.
  /// \param divert  makes what disturbs a worker, by its index; empty for nothing
  explicit Scheduler(const Options& options,
                     const std::function<std::unique_ptr<Diversion>(int)>& divert = {});

  /// Waits for every thread, then for the workers.
  ~Scheduler();

  /// Runs call(callable) as a thread without parent and blocks the calling OS thread until it has
  /// ended. An exception that escapes it is rethrown.
  void run_root(void (*call)(void*), void* callable, SourceLocation where);

  /// A thread with a JoinState, which the caller starts later and injects; for any OS thread.
  /// \throws std::system_error if no stack can be mapped or there is no memory.
  Descriptor& reserve_from_outside(SourceLocation where);

  /// Makes a thread runnable from an OS thread that is not one of this scheduler's workers.
  void inject(Descriptor& thread) noexcept;

  /// Makes a thread runnable as inject() does that nobody waits for, and counts it.
  void inject_detached(Descriptor& thread) noexcept {
    // release: as in run_root().
    roots_.fetch_add(1, std::memory_order_release);
    inject(thread);
  }

  /// Whether the destructor waits and no thread is left.
  bool has_ended() const noexcept;

  /// Notes that a worker is about to lie down.
  void note_lying_down(Deadline now) noexcept {
    latest_to_lie_down_.store(now, std::memory_order_relaxed);
  }

  /// When a worker that lies down should call report_if_blocked(); nothing if that is not its
  /// concern.
  std::optional<Deadline> patience_with_blocked_threads() const noexcept;

  /// If no thread can run, no deadline is pending, and threads are left, tells stderr what they
  /// wait for, once; while the destructor waits, abandons them then.
  void report_if_blocked() noexcept;

  /// Whether threads are left, none can run, no deadline is pending, and nothing but a source that
  /// the program has brought has something to bring; asked by the worker that watches for it,
  /// before it sleeps. If so, and there is a headline, tells stderr after it what they wait for.
  bool waits_for_source(const std::string* headline) noexcept;

  /// Whether any queue holds a thread. Exact behind a barrier shared with the producers (see Idle).
  bool has_visible_work() const noexcept;

  const policy::AnyWaiting& waiting() const noexcept { return waiting_; }
  const policy::AnyStealing& stealing() const noexcept { return options_.steal; }

  /// What a waiting policy is to know now.
  policy::Surroundings surroundings() const noexcept {
    return {oversubscribed_, pollers() != nullptr && !pollers()->empty(), idle_.has_sleepers()};
  }
  const Topology& topology() const noexcept { return topology_; }
  bool has_distances() const noexcept { return has_distances_; }

  /// Whether idle workers go on searching now. At the end of the scheduler all may sleep.
  bool never_sleeps() const noexcept {
    return searches_forever_ && !stopping_.load(std::memory_order_relaxed);
  }

  std::size_t worker_count() const noexcept { return workers_.size(); }
  Worker& worker(std::size_t index) noexcept { return *workers_[index]; }
  StackDepot& stacks() noexcept { return stacks_; }
  JoinStateDepot& join_states() noexcept { return join_states_; }
  AsymmetricBarrier& barrier() noexcept { return barrier_; }
  ThreadQueue& injected() noexcept { return injected_; }
  const std::shared_ptr<Aggregations>& aggregations() const noexcept { return aggregations_; }
  Idle& idle() noexcept { return idle_; }

  /// What the workers below a last-level cache, or kUnknownCache, show each other.
  PublishedGroup& published_group(int cache) noexcept {
    return published_groups_[static_cast<std::size_t>(cache + 1)];
  }

  /// Those who bring events from outside, nullptr as long as nobody has asked for any.
  // acquire: pairs with the release in started_pollers().
  Pollers* pollers() const noexcept { return pollers_.load(std::memory_order_acquire); }

  /// The same, started if need be. \throws std::system_error if the system
  /// refuses.
  Pollers& started_pollers();

  const Options& options() const noexcept { return options_; }

  Timekeeper& timekeeper() noexcept { return timekeeper_; }
  Statistics statistics() const;
  std::size_t deepest_stack() const { return stack_source_.deepest(); }

  /// Waits until all workers sleep, calls visit(), and keeps them asleep until it returns: what
  /// they read and write without any order may be changed then. Blocks the calling OS thread.
  template <class Visit>
  void while_quiet(Visit visit) {
    while (!idle_.while_all_sleep(visit)) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 private:
  static void inject_root(void* thread) noexcept;
  void start_workers(const std::function<std::unique_ptr<Diversion>(int)>& divert);
  void stop() noexcept;
  std::uint64_t living_threads() const noexcept;
  std::size_t pending_deadlines() const noexcept;

  const Options options_;
  const policy::AnyWaiting waiting_ = options_.idle.renewed();
  AsymmetricBarrier barrier_;
  StackSource stack_source_;
  StackDepot stacks_{stack_source_};
  JoinStateSource join_state_source_{*this};
  JoinStateDepot join_states_{join_state_source_};
  ThreadQueue injected_;
  const std::shared_ptr<Aggregations> aggregations_;  ///< groups' handles have them, too
  std::atomic<std::uint64_t> roots_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> reported_{false};
  std::atomic<bool> abandoned_{false};
  std::atomic<Deadline> latest_to_lie_down_{Deadline()};
  std::atomic<int> injecting_{0};  ///< callers inside inject()
  const Topology& topology_;
  std::vector<PublishedGroup> published_groups_;  ///< the unknown cache's first
  const bool has_distances_;
  const bool oversubscribed_;  ///< more workers than cores: whoever spins must give its core away
  const bool searches_forever_;
  Idle idle_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< complete before the first OS thread starts
  std::vector<std::thread> os_threads_;
  Timekeeper timekeeper_{[](Descriptor& thread) noexcept { thread.home->inject(thread); }};
  std::mutex pollers_start_;
  std::unique_ptr<Pollers> pollers_owner_;  ///< guarded by pollers_start_
  std::atomic<Pollers*> pollers_{nullptr};
};

}  // namespace kumiko::runtime::detail
