#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "depot.hpp"
#include "descriptor.hpp"

namespace kumiko::runtime::detail {

/// Maps stacks in slabs and owns them until its destruction.
///
///     | guard | frames ... <- | Descriptor | guard | frames ... <- | Descriptor | ...
///
/// Guard pages are set once, when a slab is mapped. Memory is committed by touch. Each stack costs
/// two kernel mappings, so about vm.max_map_count / 2 stacks (32,000 by default) fit a process.
class StackSource {
 public:
  /// \param stack_size usable bytes per stack, rounded up so that guards are pages.
  StackSource(Scheduler& home, std::size_t stack_size);
  StackSource(const StackSource&) = delete;
  StackSource& operator=(const StackSource&) = delete;
  ~StackSource();

  /// A new slab of stacks.
  /// \throws std::system_error that names the limits if the kernel refuses; nothing is kept then.
  Batch<Descriptor> make();

  /// Usable bytes per stack.
  std::size_t stack_size() const noexcept { return stack_size_; }

 private:
  std::byte* map_slab() const;
  Descriptor* place_stack(std::byte* guard) const noexcept;

  Scheduler& home_;
  const std::size_t page_size_;
  const std::size_t stack_size_;
  const std::size_t stride_;  ///< from one guard page to the next
  std::mutex mutex_;
  std::vector<std::byte*> slabs_;
};

using StackDepot = Depot<Descriptor, StackSource>;
using StackCache = Cache<Descriptor, StackSource>;

}  // namespace kumiko::runtime::detail
