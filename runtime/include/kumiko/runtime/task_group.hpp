// Spawns any number of lightweight threads and waits for all of them together.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <kumiko/runtime/detail/group_state.hpp>
#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/source_location.hpp>

namespace kumiko::runtime {

namespace detail {
/// \throws std::out_of_range if the caller's runtime has no such worker.
void check_worker_index(int worker);

/// Puts `thread`, which is new and counted by `group`, into that worker's queue.
void offer_thread_to(int worker, Descriptor* thread, void (*call)(void*),
                     GroupState& group) noexcept;

[[noreturn]] void throw_no_group_owner();
[[noreturn]] void throw_not_group_owner();
}  // namespace detail

/// Lightweight threads that are waited for together, without a handle for each thread.
///
/// A group belongs to the lightweight thread that constructs it, its *owner*. The owner may call
/// all functions. The group's threads may also call run() and run_near(). So may any other thread
/// whose call is certain to return before the owner calls wait().
///
/// Cost of run() by the owner: no atomic read-modify-write if the owner's continuation is not
/// stolen and the thread does not wait. Otherwise one at run() and one at the end of the thread.
class TaskGroup {
 public:
  /// Makes a group that the calling lightweight thread owns. \throws std::logic_error outside one.
  TaskGroup() : state_(detail::running_thread()) {
    if (state_.owner == nullptr) detail::throw_no_group_owner();
  }

  /// Waits for the group's threads if wait() has not been called; then an exception of a thread is
  /// lost.
  ~TaskGroup() { state_.counter.wait_for_all(); }

  /// Runs a decayed copy of `function` as a new lightweight thread, child first (see Thread).
  /// \throws what Thread's constructor throws; the group is then as before.
  template <class Function>
  requires std::invocable<std::decay_t<Function>>
  void run(Function&& function, SourceLocation where = SourceLocation::current()) {
    if (cancelled()) [[unlikely]]
      return;
    const detail::Reservation made =
        detail::make_thread(std::forward<Function>(function), &state_, where);
    detail::start_thread(made.thread, &detail::call_and_destroy<std::decay_t<Function>>);
  }

  /// Runs `function` in the same way, as a thread of an aggregation group (see Group).
  /// \throws also std::invalid_argument if that group belongs to another Runtime.
  template <class Function>
  requires std::invocable<std::decay_t<Function>>
  void run(const Group& aggregation, Function&& function,
           SourceLocation where = SourceLocation::current()) {
    detail::check_group(aggregation);
    if (cancelled()) return;
    const detail::Reservation made =
        detail::make_thread(std::forward<Function>(function), &state_, where);
    detail::admit(*made.thread, aggregation);
    detail::start_thread(made.thread, &detail::call_and_destroy<std::decay_t<Function>>);
  }

  /// Makes a thread as run() does, but does not run it immediately. The thread waits in the queue
  /// of worker `worker`, near the data that this worker has accessed, and runs after the worker's
  /// own youngest threads. This is a hint: idle workers may steal the thread. Additional cost: a
  /// lock and two atomic read-modify-writes. \throws also std::out_of_range for a worker that does
  /// not exist.
  template <class Function>
  requires std::invocable<std::decay_t<Function>>
  void run_near(int worker, Function&& function, SourceLocation where = SourceLocation::current()) {
    detail::check_worker_index(worker);
    if (cancelled()) return;
    const detail::Reservation made =
        detail::make_thread(std::forward<Function>(function), &state_, where);
    detail::offer_thread_to(worker, made.thread, &detail::call_and_destroy<std::decay_t<Function>>,
                            state_);
  }

  /// Asks the group's threads to end early: until wait() returns, run() and run_near() do nothing,
  /// and cancelled() returns true. For any thread; does not suspend.
  void cancel() noexcept { state_.cancelled.store(true, std::memory_order_relaxed); }

  /// Whether cancel() was called since the last wait(). Cost: one load.
  bool cancelled() const noexcept { return state_.cancelled.load(std::memory_order_relaxed); }

  /// Waits until all threads of the group have ended, including those that they add. Then rethrows
  /// the first exception that escaped one of them, if any. The group may be used again, or
  /// destroyed, when this returns or throws. Only for the owner, which it may suspend.
  void wait() {
    if (detail::running_thread() != state_.owner) detail::throw_not_group_owner();
    state_.counter.wait_for_all();
    // relaxed: what the group's threads did before they ended is ordered by the joining.
    state_.cancelled.store(false, std::memory_order_relaxed);
    state_.exception.rethrow();
  }

 private:
  detail::GroupState state_;
};

}  // namespace kumiko::runtime
