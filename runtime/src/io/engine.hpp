// The interfaces of those that do operations: the io_uring and the epoll engine, and for files the
// ring, or OS threads.
#pragma once

#include <cstddef>

#include "core/poller.hpp"
#include "io/descriptor_kind.hpp"
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
/// Who polls completes the operations that are done.
class Engine : public EventSource {
 public:
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
};

/// Gets operations done that concern files (Operation::concerns_file()), which never become ready,
/// for an engine that waits for readiness. Where operations complete without a poll, pollable() is
/// -1.
class FileEngine : public EventSource {
 public:
  /// Begins an operation; `kind` is what is behind its descriptor. Returns true if it is done
  /// already, or refused, and has its result; otherwise it will be completed, maybe before this
  /// returns.
  virtual bool start(Operation& operation, DescriptorKind kind) noexcept = 0;

  /// Completes an operation with -ECANCELED if it has not begun yet.
  virtual void cancel(Operation& operation) noexcept = 0;
};

}  // namespace kumiko::runtime::detail
