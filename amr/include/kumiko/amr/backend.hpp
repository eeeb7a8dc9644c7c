// Shares the patches of a level out to workers: one set of numerics, several ways to run it.
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
  /// Who work, the driver among them.
  int workers() const { return workers_; }

  /// The runtime whose lightweight threads do the work; nullptr where there is none. Patches can be
  /// threads that wait for each other only with it. It is there for others too who have work to do
  /// beside them, from any OS thread and while run() goes on.
  runtime::Runtime* runtime() const { return runtime_.get(); }

  /// Calls `driver` where for_each() may be called, and returns when it has. Passes on what it
  /// throws. With a runtime it is a lightweight thread, whose stack is small: file and picture
  /// libraries belong outside.
  template <std::invocable Driver>
  void run(const Driver& driver) {
    if (runtime_ != nullptr) return runtime_->run(driver);
    driver();
  }

  /// Does a task once for each own patch of the level, in any order and in parallel, and returns
  /// when all are done: everything that the tasks wrote is visible to the caller, and the tasks see
  /// everything the caller wrote. When tasks throw, all others still run, and the exception of the
  /// lowest slot is passed on.
  ///
  /// A task is called as task(slot, worker) for each patch, by a worker (0 .. workers() - 1). If it
  /// takes a list of slots, it is called as task(slots, worker) for patches that follow one another
  /// among the own ones, none empty: as many as a worker is dealt in one go where the backend deals
  /// them out beforehand, a part of that where workers take what is left.
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

  /// How long for_each() has taken in all. Cost of counting: two readings of the clock a call.
  std::chrono::nanoseconds loop_time() const { return loop_time_; }

 protected:
  /// Work on the own patches first .. last - 1 of a level, done by a worker; throws nothing.
  using ListTask = std::function<void(std::size_t first, std::size_t last, int worker)>;

  Backend(std::string_view name, int workers) : name_(name), workers_(workers) {}
  /// With the runtime's workers.
  Backend(std::string_view name, std::unique_ptr<runtime::Runtime> runtime)
      : name_(name), workers_(runtime->workers()), runtime_(std::move(runtime)) {}

 private:
  /// Keeps the exception of the lowest slot of those whose tasks throw.
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
  /// \param in_lists  whether long lists are wanted, where workers could take single patches
  virtual void deal_out(const Level& level, bool in_lists, const ListTask& task) = 0;

  std::string_view name_;
  int workers_;
  std::unique_ptr<runtime::Runtime> runtime_;
  std::chrono::nanoseconds loop_time_{0};
};

/// Names that make_backend() takes, the default first.
const std::vector<std::string>& backend_names();

/// Makes `threads` (the lightweight-thread runtime), `pthread` (equal strips in y, OS threads and
/// barriers), `openmp` (equal parts; or while a loop runs, where OMP_SCHEDULE says so: dynamic,
/// guided or auto) or `serial`.
/// \param workers  0 = as many as the machine grants; serial always has one
/// \param idle     what workers of `threads` do that find nothing to do
/// Throws std::invalid_argument for an unknown name or a negative count, and for serial with a
/// count above 1, std::runtime_error when the system refuses that many OS threads.
std::unique_ptr<Backend> make_backend(std::string_view name, int workers,
                                      runtime::IdlePolicy idle = runtime::IdlePolicy::kPressure);

/// Lets the calling OS thread run on all of OpenMP's places, where there are any. With
/// OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY in the environment GCC's OpenMP keeps a program's
/// first thread to one of them from the start, and so whatever threads that one makes.
void use_all_places() noexcept;

}  // namespace kumiko::amr
