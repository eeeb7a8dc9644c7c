// Maps the stacks of lightweight threads, with guard pages or canaries below them.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "machine/guard_budget.hpp"
#include "record/descriptor.hpp"
#include "stack/depot.hpp"

namespace kumiko::runtime::detail {

/// Maps stacks in slabs and owns them until its destruction.
///
///     | guard | frames ... <- | Descriptor | guard | frames ... <- | Descriptor | ...
///
/// Guard pages are set once, when a slab is mapped. Memory is committed by touch. When the budget
/// of guard pages is used up, further slabs have a *canary* at the bottom of each stack instead,
/// which is checked when the thread suspends and ends; the first time that happens stderr is told.
class StackSource {
 public:
  /// \param stack_size usable bytes per stack, rounded up so that guards are pages.
  /// \param guards outlives this.
  StackSource(Scheduler& home, std::size_t stack_size,
              GuardBudget& guards = GuardBudget::process());
  ~StackSource();

  /// A new slab of stacks.
  /// \throws std::system_error that names the limits if the kernel refuses; nothing is kept then.
  Batch<Descriptor> make();

  /// Usable bytes per stack.
  std::size_t stack_size() const noexcept { return stack_size_; }

  /// The number of stacks mapped so far.
  std::size_t stacks() const;

  /// The most bytes of one stack that have been touched, in pages; 0 where the system does not
  /// tell.
  std::size_t deepest() const;

  /// Calls visit(descriptor) for every stack, in use or not.
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard lock(mutex_);
    for (const Slab& slab : slabs_) {
      for (std::size_t i = 0; i < slab.stacks; ++i) visit(*descriptor(slab, i));
    }
  }

 private:
  struct Slab {
    std::byte* memory;
    std::size_t stacks;
    bool guarded;
  };

  Slab map_slab() const;
  bool set_guards(const Slab& slab) const noexcept;
  void unmap(const Slab& slab) const noexcept;
  Descriptor* descriptor(const Slab& slab, std::size_t index) const noexcept;

  Scheduler& home_;
  GuardBudget& guards_;
  const std::size_t page_size_;
  const std::size_t stack_size_;
  const std::size_t stride_;  ///< from one guard to the next
  mutable std::mutex mutex_;
  std::vector<Slab> slabs_;
};

using StackDepot = Depot<Descriptor, StackSource>;
using StackCache = Cache<Descriptor, StackSource>;

}  // namespace kumiko::runtime::detail
