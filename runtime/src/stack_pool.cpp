#include "stack_pool.hpp"

#include <cerrno>
#include <limits>
#include <new>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

[[noreturn]] void throw_no_stacks(int error) {
  throw std::system_error(
      error, std::generic_category(),
      "cannot map stacks for more lightweight threads (limits: vm.max_map_count, two mappings per "
      "stack; vm.overcommit_memory; ulimit -v; the control group's memory)");
}

}  // namespace

StackSource::StackSource(Scheduler& home, std::size_t stack_size)
    : home_(home),
      page_size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      stack_size_(round_up(stack_size + sizeof(Descriptor), page_size_) - sizeof(Descriptor)),
      stride_(stack_size_ + sizeof(Descriptor) + page_size_) {}

StackSource::~StackSource() {
  for (std::byte* const slab : slabs_) {
    for (std::size_t i = 0; i < tunables::kSlabSize; ++i) {
      std::byte* const head = slab + (i + 1) * stride_ - sizeof(Descriptor);
      sanitizer::forget(std::launder(reinterpret_cast<Descriptor*>(head))->fiber.notes);
    }
    munmap(slab, tunables::kSlabSize * stride_);
  }
}

Batch<Descriptor> StackSource::make() {
  std::byte* const slab = map_slab();
  try {
    const std::lock_guard lock(mutex_);
    slabs_.push_back(slab);
  } catch (...) {
    munmap(slab, tunables::kSlabSize * stride_);
    throw;
  }
  Batch<Descriptor> stacks;
  for (std::size_t i = 0; i < tunables::kSlabSize; ++i) {
    stacks.push(place_stack(slab + i * stride_));
  }
  return stacks;
}

std::byte* StackSource::map_slab() const {
  if (stride_ > std::numeric_limits<std::size_t>::max() / tunables::kSlabSize) {
    throw_no_stacks(ENOMEM);
  }
  const std::size_t size = tunables::kSlabSize * stride_;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw_no_stacks(errno);
  auto* const slab = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < tunables::kSlabSize; ++i) {
    if (mprotect(slab + i * stride_, page_size_, PROT_NONE) != 0) {
      const int error = errno;
      munmap(slab, size);
      throw_no_stacks(error);
    }
  }
  return slab;
}

Descriptor* StackSource::place_stack(std::byte* guard) const noexcept {
  std::byte* const head = guard + stride_ - sizeof(Descriptor);
  return ::new (head) Descriptor(home_, stack_size_);
}

}  // namespace kumiko::runtime::detail
