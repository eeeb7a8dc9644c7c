// The interface of those that do operations on files: the ring, or OS threads.
#pragma once

#include "core/poller.hpp"
#include "io/descriptor_kind.hpp"
#include "io/operation.hpp"

namespace kumiko::runtime::detail {

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
