// Allocates a record and thread-local storage for each POSIX thread, and finds it by its pthread_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <pthread.h>

#include "libc_thread.hpp"
#include "port/port.hpp"
#include "thread_record.hpp"

namespace kumiko::pthread {

/// Makes the blocks of lightweight threads (see ThreadRecord), in one range of addresses, so that a
/// pthread_t tells whether it names one of them. They are never unmapped.
///
/// A block that is taken again keeps the variables of the C library, which belong to whoever has
/// it: malloc's caches, which would be lost, buffers, and the tables of thread-specific values,
/// empty. All other modules' variables begin anew.
class ThreadBlocks {
 public:
  /// \throws std::system_error without addresses for them.
  explicit ThreadBlocks(const LibcThread& libc);

  /// Makes a slab of blocks, for Depot. \throws std::bad_alloc without memory, or when there are
  /// 2^20 blocks.
  runtime::port::Batch<ThreadRecord> make();

  /// Readies a block for a new thread. Returns false without memory.
  bool renew(ThreadRecord& record) const noexcept;

  /// The thread that a handle names, nullptr if it names another one.
  ThreadRecord* of(pthread_t handle) const noexcept {
    const std::uintptr_t distance = handle - reinterpret_cast<std::uintptr_t>(begin_);
    if (distance >= kMostBlocks * stride_) return nullptr;
    return reinterpret_cast<ThreadRecord*>(handle - pointer_offset_);
  }

 private:
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 20U;
  static constexpr std::size_t kSlab = 64;

  const LibcThread& libc_;
  const std::size_t pointer_offset_;  ///< of the thread pointer in a block
  const std::size_t stride_;
  std::byte* begin_ = nullptr;
  std::mutex mutex_;
  std::size_t made_ = 0;  ///< guarded by mutex_
};

using BlockDepot = runtime::port::Depot<ThreadRecord, ThreadBlocks>;
using BlockCache = runtime::port::Cache<ThreadRecord, ThreadBlocks>;

}  // namespace kumiko::pthread
