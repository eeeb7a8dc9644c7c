#include "thread_blocks.hpp"

#include <cerrno>
#include <new>
#include <system_error>

#include <sys/mman.h>

namespace kumiko::pthread {

namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

ThreadBlocks::ThreadBlocks(const LibcThread& libc)
    : libc_(libc),
      pointer_offset_(round_up(sizeof(ThreadRecord) + libc.storage_below(), libc.alignment())),
      stride_(round_up(pointer_offset_ + libc.thread_size(), libc.alignment())) {
  // Addresses only; slabs become memory in make().
  void* const range = mmap(nullptr, kMostBlocks * stride_, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(),
                            "no addresses for the thread-local storage of lightweight threads "
                            "(limit: ulimit -v)");
  }
  begin_ = static_cast<std::byte*>(range);
}

runtime::port::Batch<ThreadRecord> ThreadBlocks::make() {
  const std::lock_guard lock(mutex_);
  if (made_ + kSlab > kMostBlocks) throw std::bad_alloc();
  std::byte* const slab = begin_ + made_ * stride_;
  const auto page = std::size_t{4096};
  std::byte* const first = begin_ + made_ * stride_ / page * page;
  if (mprotect(first, static_cast<std::size_t>(slab + kSlab * stride_ - first),
               PROT_READ | PROT_WRITE) != 0) {
    throw std::bad_alloc();
  }
  runtime::port::Batch<ThreadRecord> blocks;
  for (std::size_t i = 0; i < kSlab; ++i) {
    std::byte* const block = slab + i * stride_;
    blocks.push(::new (block)
                    ThreadRecord(block + pointer_offset_, static_cast<std::uint32_t>(made_ + i)));
  }
  made_ += kSlab;
  return blocks;
}

bool ThreadBlocks::renew(ThreadRecord& record) const noexcept {
  if (!record.has_storage) {
    record.has_storage =
        libc_.make(record.thread_pointer, static_cast<int>(record.index), record.module_changes);
    return record.has_storage;
  }
  return libc_.renew(record.thread_pointer, record.module_changes);
}

}  // namespace kumiko::pthread
