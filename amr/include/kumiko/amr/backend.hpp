// Distributes the patches of a level among workers: one implementation of the numerics, several
// ways to run it.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/runtime/options.hpp>
#include <kumiko/runtime/runtime.hpp>

namespace kumiko::amr {

/// Patches of a level, by slot.
using Slots = std::span<const std::uint32_t>;

/// Runs work on every patch of a level that this process owns. One driver thread at a time uses a
/// backend.
class Backend {
 public:
  virtual ~Backend() = default;
  /// As make_backend() takes it.
  std::string_view name() const { return name_; }
  /// The number of workers, the driver included.
  int workers() const { return workers_; }

  /// The runtime whose lightweight threads do the work; nullptr if there is none. Only with a
  /// runtime can patches be threads that wait for each other. Other code may use the runtime too,
  /// from any OS thread and while run() is in progress.
  runtime::Runtime* runtime() const { return runtime_.get(); }

  /// Calls `driver` in a context where for_each() may be called, and returns when it has returned.
  /// Rethrows its exceptions. With a runtime, the driver is a lightweight thread with a small
  /// stack, so do not use file and picture libraries in it.
  template <std::invocable Driver>
  void run(const Driver& driver) {
    if (runtime_ != nullptr) return runtime_->run(driver);
    driver();
  }

  /// Runs a task once for each own patch of the level, in any order and in parallel, and returns
  /// when all tasks have ended. The tasks see everything that the caller wrote, and afterwards the
  /// caller sees everything that the tasks wrote. If tasks throw, all others still run, and the
  /// exception of the lowest slot is rethrown.
  ///
  /// A task is called as task(slot, worker) for each patch, by a worker (0 .. workers() - 1). If
  /// its parameter is a list of slots, it is called as task(slots, worker) with non-empty lists of
  /// consecutive own patches. If the backend assigns patches to workers beforehand, a list has all
  /// patches of a worker; if workers take patches dynamically, a list has a part of them.
  template <class Task>
  void for_each(const Level& level, const Task& task) {
    constexpr bool kTakesLists = std::invocable<const Task&, Slots, int>;
    const Slots own = level.own();
    LowestException lowest;
    const auto begin = std::chrono::steady_clock::now();
    deal_out(level, kTakesLists, [&](std::size_t first, std::size_t last, int worker) {
      if constexpr (kTakesLists) {
        if (first != last) {
          lowest.guard(first, [&] { task(own.subspan(first, last - first), worker); });
        }
      } else {
        for (; first < last; ++first) {
          lowest.guard(first, [&] { task(std::size_t{own[first]}, worker); });
        }
      }
    });
    loop_time_ += std::chrono::steady_clock::now() - begin;
    lowest.rethrow();
  }

  /// The total time in for_each(). Cost of measuring it: two clock readings per call.
  std::chrono::nanoseconds loop_time() const { return loop_time_; }

 protected:
  /// Work on the own patches first .. last - 1 of a level, done by a worker. It must not throw.
  using ListTask = std::function<void(std::size_t first, std::size_t last, int worker)>;

  Backend(std::string_view name, int workers) : name_(name), workers_(workers) {}
  /// A backend with the runtime's workers.
  Backend(std::string_view name, std::unique_ptr<runtime::Runtime> runtime)
      : name_(name), workers_(runtime->workers()), runtime_(std::move(runtime)) {}

 private:
  /// If tasks throw, keeps the exception of the lowest slot.
  class LowestException {
   public:
    template <class Task>
    void guard(std::size_t slot, const Task& task) {
      try {
        task();
      } catch (...) {
        // No task suspends while it holds this.
        const std::lock_guard lock(mutex_);
        if (what_ && slot >= slot_) return;
        slot_ = slot;
        what_ = std::current_exception();
      }
    }
    void rethrow() const {
      if (what_) std::rethrow_exception(what_);
    }

   private:
    std::mutex mutex_;
    std::exception_ptr what_;
    std::size_t slot_ = 0;
  };

  /// Calls task so that every own patch of the level is in one list.
  /// \param in_lists  true if long lists are wanted although workers could take single patches
  virtual void deal_out(const Level& level, bool in_lists, const ListTask& task) = 0;

  std::string_view name_;
  int workers_;
  std::unique_ptr<runtime::Runtime> runtime_;
  std::chrono::nanoseconds loop_time_{0};
};

/// Names that make_backend() takes, the default first.
const std::vector<std::string>& backend_names();

/// Makes `threads` (the lightweight-thread runtime), `pthread` (equal strips in y, OS threads and
/// barriers), `openmp` (equal parts; or assigned while a loop runs, if OMP_SCHEDULE is dynamic,
/// guided or auto) or `serial`.
/// \param workers  0 = as many as the machine grants; serial always has one
/// \param idle  what workers of `threads` do while they find no work
/// Throws std::invalid_argument for an unknown name, a negative count, or serial with a count above
/// 1, and std::runtime_error if the system refuses that many OS threads.
std::unique_ptr<Backend> make_backend(std::string_view name, int workers,
                                      runtime::IdlePolicy idle = runtime::IdlePolicy::kPressure);

/// Lets the calling OS thread run on all of OpenMP's places, if there are any. With OMP_PROC_BIND,
/// OMP_PLACES or GOMP_CPU_AFFINITY in the environment, GCC's OpenMP binds a program's first thread
/// to one place from the start, and so all threads that this one creates.
void use_all_places() noexcept;

}  // namespace kumiko::amr
