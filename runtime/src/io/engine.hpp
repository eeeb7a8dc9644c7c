// The interface that the io_uring and the epoll engine share.
#pragma once

#include <cstddef>

#include "io/operation.hpp"

namespace kumiko::runtime::detail {

class Scheduler;

/// The instance of the calling worker; the first one for OS threads that are not workers of the
/// scheduler.
std::size_t calling_instance(const Scheduler& scheduler) noexcept;

/// Makes the calling worker poll its instance before it runs anything else. Returns false if the
/// caller is not a worker of the scheduler.
bool note_unsubmitted(const Scheduler& scheduler) noexcept;

/// Gets operations done without blocking the workers: what io_uring and epoll have in common.
///
/// There is one *instance* per worker, by index. Each may be polled by any OS thread, one at a
/// time; who polls completes the operations that are done. All functions may be called by any OS
/// thread, none suspends or throws.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Begins an operation in the instance of the calling worker (the first one for other OS
  /// threads). Returns true if it is done already and has its result; otherwise it will be
  /// completed, maybe before this returns.
  virtual bool start(Operation& operation) noexcept = 0;

  /// Makes an operation that was started complete soon, with -ECANCELED if it has not been done by
  /// then. Called by the operation's thread.
  virtual void cancel(Operation& operation) noexcept = 0;

  /// Fails what waits for `descriptor` with -EBADF and closes it. Returns true and the result in
  /// `operation`, of kind kClose, or completes it later.
  virtual bool close(Operation& operation) noexcept = 0;

  /// Hands to the system what start() has gathered, takes at most `budget` events from it, and
  /// completes what they let be done. Returns how many events there were; 0 also if another OS
  /// thread polls it now.
  virtual int poll(std::size_t instance, std::size_t budget) noexcept = 0;

  /// Whether start() has left something to poll() that the system does not know of yet.
  virtual bool has_unsubmitted(std::size_t instance) const noexcept = 0;

  /// A descriptor that poll(2) finds readable when poll(instance) has something to complete.
  virtual int pollable(std::size_t instance) const noexcept = 0;
};

}  // namespace kumiko::runtime::detail
