#include "large_stacks.hpp"

#include <algorithm>

#include <sys/mman.h>

#include "port/port.hpp"

namespace kumiko::pthread {

namespace {
constexpr std::size_t kGuard = runtime::port::kGuardSize;
}

std::byte* LargeStacks::take(std::size_t size) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [size](const Stack& s) { return s.size == size; });
    if (found != kept_.end()) {
      std::byte* const stack = found->begin;
      kept_.erase(found);
      return stack;
    }
  }
  void* const memory = mmap(nullptr, size + kGuard, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // The stack goes without a guard if the kernel has no mapping left for it.
  mprotect(memory, kGuard, PROT_NONE);
  return static_cast<std::byte*>(memory) + kGuard;
}

void LargeStacks::give(std::byte* stack, std::size_t size) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (kept_.size() < kMostKept) {
      kept_.push_back({stack, size});
      return;
    }
  } catch (...) {
    // Without memory for the list the stack is not kept.
  }
  munmap(stack - kGuard, size + kGuard);
}

}  // namespace kumiko::pthread
