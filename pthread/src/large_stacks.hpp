// Keeps stacks for threads that ask for more than the runtime's own stacks have.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace kumiko::pthread {

/// Stacks of the sizes that threads ask for, where the runtime's own are too small. A few are kept
/// for the next ones.
class LargeStacks {
 public:
  /// The lowest byte of `size` bytes (a multiple of pages) above a guard, nullptr without memory.
  std::byte* take(std::size_t size) noexcept;
  void give(std::byte* stack, std::size_t size) noexcept;

 private:
  static constexpr std::size_t kMostKept = 16;

  struct Stack {
    std::byte* begin;
    std::size_t size;
  };

  std::mutex mutex_;
  std::vector<Stack> kept_;
};

}  // namespace kumiko::pthread
