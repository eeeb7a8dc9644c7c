// Does operations on files by OS threads.
#pragma once

#include <cerrno>
#include <cstddef>

#include "io/engine.hpp"
#include "io/offload_pool.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

/// Files by OS threads, which complete the operations themselves: there is nothing to poll.
class PoolFiles final : public FileEngine {
 public:
  bool start(Operation& operation, DescriptorKind) noexcept override {
    if (pool_.submit(operation)) return false;
    operation.set_result(-EAGAIN);
    return true;
  }
  void cancel(Operation& operation) noexcept override {
    if (pool_.withdraw(operation)) operation.complete(-ECANCELED);
  }
  int poll(std::size_t, std::size_t) noexcept override { return 0; }
  bool has_unsubmitted(std::size_t) const noexcept override { return false; }
  int pollable(std::size_t) const noexcept override { return -1; }

 private:
  OffloadPool pool_{tunables::kFileThreads, "kumiko-file"};
};

}  // namespace kumiko::runtime::detail
