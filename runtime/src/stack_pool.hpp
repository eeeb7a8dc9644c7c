#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "depot.hpp"
#include "sanitizer.hpp"

namespace kumiko::runtime::detail {

/// The head of a stack, in its topmost bytes; frames grow down from it.
struct Stack {
  Stack* next;
  std::size_t size;  ///< usable bytes below the head
  sanitizer::StackNotes notes;

  std::byte* bottom() noexcept { return reinterpret_cast<std::byte*>(this) - size; }
};

/// Maps stacks in slabs and owns them until its destruction.
///
///     | guard | frames ... <- | head | guard | frames ... <- | head | ...
///
/// Guard pages are set once, when a slab is mapped. Memory is committed by touch. Each stack costs
/// two kernel mappings, so about vm.max_map_count / 2 stacks (32,000 by default) fit a process.
class StackSource {
 public:
  /// \param stack_size usable bytes per stack, rounded up so that guards are pages.
  explicit StackSource(std::size_t stack_size);
  StackSource(const StackSource&) = delete;
  StackSource& operator=(const StackSource&) = delete;
  ~StackSource();

  /// A new slab of stacks.
  /// \throws std::system_error that names the limits if the kernel refuses; nothing is kept then.
  Batch<Stack> make();

  /// Usable bytes per stack.
  std::size_t stack_size() const noexcept { return stack_size_; }

 private:
  std::byte* map_slab() const;
  Stack* place_stack(std::byte* guard) const noexcept;

  const std::size_t page_size_;
  const std::size_t stack_size_;
  const std::size_t stride_;  ///< from one guard page to the next
  std::mutex mutex_;
  std::vector<std::byte*> slabs_;
};

using StackDepot = Depot<Stack, StackSource>;
using StackCache = Cache<Stack, StackSource>;

}  // namespace kumiko::runtime::detail
