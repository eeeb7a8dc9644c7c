// The interface of those that do operations on files: the ring, or OS threads.
#pragma once

#include <cstddef>

#include "io/descriptor_kind.hpp"
#include "io/operation.hpp"

namespace kumiko::runtime::detail {

/// Gets operations done that concern files (Operation::concerns_file()), which never become ready,
/// for an engine that waits for readiness. Has an instance per worker, as an Engine has; functions
/// that have its names keep its contracts.
class FileEngine {
 public:
  virtual ~FileEngine() = default;

  /// Begins an operation; `kind` is what is behind its descriptor. Returns true if it is done
  /// already, or refused, and has its result; otherwise it will be completed, maybe before this
  /// returns.
  virtual bool start(Operation& operation, DescriptorKind kind) noexcept = 0;

  /// Completes an operation with -ECANCELED if it has not begun yet.
  virtual void cancel(Operation& operation) noexcept = 0;

  virtual int poll(std::size_t instance, std::size_t budget) noexcept = 0;
  virtual bool has_unsubmitted(std::size_t instance) const noexcept = 0;

  /// A descriptor that poll(2) finds readable when poll(instance) has something to complete; -1
  /// where operations complete without it.
  virtual int pollable(std::size_t instance) const noexcept = 0;
};

}  // namespace kumiko::runtime::detail
