// A pool of OS threads that execute operations which may block.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/operation.hpp"

namespace kumiko::runtime::detail {

/// OS threads that execute operations which may block: one is added whenever all are busy, up to a
/// number; then operations wait for their turn, first come, first served. Threads stay until the
/// end.
class OffloadPool {
 public:
  /// \param name of its OS threads.
  OffloadPool(std::size_t most_threads, std::string name)
      : most_threads_(most_threads), name_(std::move(name)) {}

  /// Finishes what was submitted and stops the OS threads.
  ~OffloadPool();

  /// Takes the operation, to execute and complete it. Returns false if the pool has no OS thread
  /// and the system refuses one. Does not suspend. Cost: a mutex, a system call, and at times the
  /// making of a thread.
  bool submit(Operation& operation) noexcept;

  /// Takes an operation back. Returns false if it has begun, or was not here.
  bool withdraw(Operation& operation) noexcept;

 private:
  void work() noexcept;
  void add_thread() noexcept;

  const std::size_t most_threads_;
  const std::string name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  OperationQueue queue_;  ///< the rest is guarded by mutex_
  std::size_t waiting_ = 0;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> os_threads_;
};

}  // namespace kumiko::runtime::detail
