// The I/O of one scheduler: does operations by its engine, and counts who waits for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/options.hpp>

#include "core/own_counter.hpp"
#include "core/pollers.hpp"
#include "io/engine.hpp"
#include "io/offload_pool.hpp"
#include "io/operation.hpp"

namespace kumiko::runtime::detail {

class Scheduler;

/// Waits until the operation is complete. Returns false if a limit was reached before.
bool wait_within(Operation& operation, const io::Limits& limits) noexcept;

/// Which limit was reached: -ECANCELED or -ETIMEDOUT.
int error_of(const io::Limits& limits) noexcept;

/// The I/O of one Scheduler: its engine, and what waits for it. A poller, made by the first
/// operation.
class IoService final : public Poller {
 public:
  /// \throws std::system_error if the system refuses descriptors, or the engine that is asked for.
  IoService(Scheduler& scheduler, Pollers& pollers, IoEngine engine);

  /// No operation may be in progress, and no worker be running.
  ~IoService() override;

  /// The I/O of a scheduler, nullptr if none has been done yet.
  static IoService* of(const Scheduler& scheduler) noexcept;

  /// The I/O of a scheduler, made if need be. \throws std::system_error if the system refuses.
  static IoService& started(Scheduler& scheduler);

  /// Which engine kAuto means here; others as they are.
  static IoEngine resolve(IoEngine engine) noexcept;

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

  /// Fails with -EBADF what waits here for a descriptor, and closes it unless another engine does.
  /// For any thread; may suspend.
  std::int64_t close_here(int descriptor, bool keeps_open) noexcept;

  int poll(std::size_t instance, std::size_t budget) noexcept override {
    return engine_->poll(instance, budget);
  }
  bool has_unsubmitted(std::size_t instance) const noexcept override {
    return engine_->has_unsubmitted(instance);
  }
  int pollable(std::size_t instance) const noexcept override { return engine_->pollable(instance); }

  /// How many operations threads wait for, about. Cost: two loads per worker.
  std::size_t waits() const noexcept override;

 private:
  void begin_wait() noexcept;
  void end_wait() noexcept;
  std::int64_t wait_for(Operation& operation) noexcept;

  /// The waits that threads began and ended on one worker.
  struct alignas(64) Waits {
    OwnCounter begun;
    OwnCounter ended;
  };

  Pollers& pollers_;
  const int process_;
  std::unique_ptr<Engine> engine_;
  OffloadPool blocking_;
  std::vector<Waits> waits_;
};

}  // namespace kumiko::runtime::detail
