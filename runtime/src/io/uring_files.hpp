// Does operations on files by io_uring.
#pragma once

#include <cstddef>

#include "io/file_engine.hpp"
#include "io/uring_rings.hpp"

namespace kumiko::runtime::detail {

/// Files by the workers' rings. What has begun goes its way: there is nothing to cancel.
class UringFiles final : public FileEngine {
 public:
  /// \throws std::system_error if the system refuses.
  explicit UringFiles(Scheduler& scheduler) : rings_(scheduler) {}

  bool start(Operation& operation, DescriptorKind kind) noexcept override {
    return rings_.start_file(operation, kind);
  }
  void cancel(Operation&) noexcept override {}
  int poll(std::size_t instance, std::size_t budget) noexcept override;
  bool has_unsubmitted(std::size_t instance) const noexcept override {
    return rings_.has_unsubmitted(instance);
  }
  int pollable(std::size_t instance) const noexcept override { return rings_.pollable(instance); }

 private:
  UringRings rings_;
};

}  // namespace kumiko::runtime::detail
