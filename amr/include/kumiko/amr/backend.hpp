// Shares the patches of a level out to workers: one set of numerics, several ways to run it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/runtime/options.hpp>

namespace kumiko::runtime {
class Runtime;
}

namespace kumiko::amr {

/// Runs work on every patch of a level. One driver thread at a time uses a backend.
class Backend {
 public:
  /// Work on the patch in a slot, done by a worker (0 .. workers()-1).
  using PatchTask = std::function<void(std::size_t slot, int worker)>;
  /// Work on the patches in slots first .. last - 1, done by a worker.
  using ListTask = std::function<void(std::size_t first, std::size_t last, int worker)>;

  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual int workers() const = 0;

  /// Calls `driver` where for_each() may be called, and returns when it has. Passes on what it
  /// throws. Backend `threads` runs it as a lightweight thread, whose stack is small: file and
  /// picture libraries belong outside.
  virtual void run(const std::function<void()>& driver) = 0;

  /// Calls task once for each patch of the level, in any order and in parallel, and returns when
  /// all are done: everything that the tasks wrote is visible to the caller, and the tasks see
  /// everything the caller wrote. When tasks throw, all others still run, and the exception of the
  /// lowest slot is passed on.
  void for_each(const Level& level, const PatchTask& task);

  /// for_each() in lists of patches that follow one another, each patch in one of them: as many as
  /// a worker is dealt in one go where the backend deals them out beforehand, a part of that where
  /// workers take what is left. The exception of the lowest list is passed on.
  void for_each_list(const Level& level, const ListTask& task);

  /// Threads that the backend's scheduler moved to a worker from others since it was made. Cheap
  /// enough to be asked at every piece of work.
  virtual std::uint64_t steals(int /*worker*/) const { return 0; }

  /// Threads that are ready with a worker and have to wait their turn; -1 where there are none to
  /// know of. As cheap as steals().
  virtual int ready(int /*worker*/) const { return -1; }

  /// I/O operations of the runtime's threads that are under way; -1 without a runtime. Cost: two
  /// loads per worker.
  virtual int io_in_flight() const { return -1; }

  /// Whether patches can be threads that wait for each other; without, a level is done step by
  /// step.
  virtual bool has_threads() const { return false; }

  /// The runtime that the patches' threads run on, for others who have work to do beside them, from
  /// any OS thread and while run() goes on; nullptr without has_threads().
  virtual runtime::Runtime* runtime() { return nullptr; }

  /// How long for_each() has taken in all. Cost of counting: two readings of the clock a call.
  std::chrono::nanoseconds loop_time() const { return loop_time_; }

 private:
  virtual void run_tasks(const Level& level, const PatchTask& task) = 0;
  virtual void run_lists(const Level& level, const ListTask& task) = 0;

  std::chrono::nanoseconds loop_time_{0};
};

/// Names that make_backend() takes, the default first.
const std::vector<std::string>& backend_names();

/// Makes `threads` (the lightweight-thread runtime), `pthread` (equal strips in y, OS threads and
/// barriers), `openmp` (static loop schedule) or `serial`.
/// \param workers  0 = as many as the machine grants; serial always has one
/// \param idle     what workers of `threads` do that find nothing to do
/// Throws std::invalid_argument for an unknown name or a negative count, and for serial with a
/// count above 1, std::runtime_error when the system refuses that many OS threads.
std::unique_ptr<Backend> make_backend(std::string_view name, int workers,
                                      runtime::IdlePolicy idle = runtime::IdlePolicy::kAdaptive);

}  // namespace kumiko::amr
