#include "record/stack_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <new>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "record/valgrind_stacks.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

[[noreturn]] void throw_no_stacks(int error) {
  throw std::system_error(error, std::generic_category(),
                          "cannot map stacks for more lightweight threads (limits: "
                          "vm.overcommit_memory; ulimit -v; the "
                          "control group's memory; the address space)");
}

void tell_of_canaries(const GuardBudget& guards) {
  static std::once_flag told;
  std::call_once(told, [&guards] {
    std::fprintf(
        stderr,
        "kumiko: the stacks of %zu lightweight threads have guard pages, and "
        "vm.max_map_count allows no more; further stacks end in a canary, which is checked "
        "when the thread suspends or ends. Raise it with: sysctl vm.max_map_count=...\n",
        guards.total());
  });
}

}  // namespace

StackSource::StackSource(Scheduler& home, std::size_t stack_size, GuardBudget& guards)
    : home_(home),
      guards_(guards),
      page_size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      stack_size_(round_up(stack_size + sizeof(Descriptor), page_size_) - sizeof(Descriptor)),
      stride_(stack_size_ + sizeof(Descriptor) + tunables::kGuardSize) {}

StackSource::~StackSource() {
  for (const Slab& slab : slabs_) {
    for (std::size_t i = 0; i < slab.stacks; ++i) {
      Descriptor* const stack = descriptor(slab, i);
      sanitizer::forget(stack->fiber.notes);
      forget_stack(stack->valgrind_id);
      // The stack is an abandoned thread's: it is not unwound, and nobody is left to do so.
      static_cast<void>(stack->specifics.release());
      std::destroy_at(stack);
    }
    unmap(slab);
  }
}

Batch<Descriptor> StackSource::make() {
  const Slab slab = map_slab();
  Batch<Descriptor> stacks;
  for (std::size_t i = 0; i < slab.stacks; ++i) {
    auto* const stack = ::new (descriptor(slab, i)) Descriptor(home_, stack_size_);
    if (!slab.guarded) stack->set_canary();
    stack->valgrind_id = register_stack(stack->stack_bottom(), stack + 1);
    stacks.push(stack);
  }
  try {
    const std::lock_guard lock(mutex_);
    slabs_.push_back(slab);
  } catch (...) {
    unmap(slab);
    throw;
  }
  return stacks;
}

std::size_t StackSource::stacks() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const Slab& slab : slabs_) count += slab.stacks;
  return count;
}

std::size_t StackSource::deepest() const {
  const std::size_t size = stride_ - tunables::kGuardSize;
  std::vector<unsigned char> present(size / page_size_);
  const std::lock_guard lock(mutex_);
  std::size_t deepest = 0;
  for (const Slab& slab : slabs_) {
    for (std::size_t i = 0; i < slab.stacks; ++i) {
      std::byte* const bottom = slab.memory + i * stride_ + tunables::kGuardSize;
      if (mincore(bottom, size, present.data()) != 0) return 0;
      // Without a guard the lowest page holds a canary.
      const auto begin = present.begin() + (slab.guarded ? 0 : 1);
      const auto first = std::find_if(begin, present.end(), [](unsigned char p) { return p & 1; });
      deepest = std::max(deepest, static_cast<std::size_t>(present.end() - first) * page_size_);
    }
  }
  return deepest;
}

StackSource::Slab StackSource::map_slab() const {
  if (stride_ > std::numeric_limits<std::size_t>::max() / tunables::kSlabSize) {
    throw_no_stacks(ENOMEM);
  }
  void* const memory = mmap(nullptr, tunables::kSlabSize * stride_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw_no_stacks(errno);
  // A huge page would commit many stacks at the first touch of one.
  madvise(memory, tunables::kSlabSize * stride_, MADV_NOHUGEPAGE);
  Slab slab{static_cast<std::byte*>(memory), tunables::kSlabSize, false};
  slab.guarded = set_guards(slab);
  if (!slab.guarded) tell_of_canaries(guards_);
  return slab;
}

/// Sets guard pages below the slab's stacks. Returns false, and leaves the slab without guards,
/// when the kernel has no mappings left for them.
bool StackSource::set_guards(const Slab& slab) const noexcept {
  if (!guards_.take(slab.stacks)) return false;
  for (std::size_t i = 0; i < slab.stacks; ++i) {
    if (mprotect(slab.memory + i * stride_, tunables::kGuardSize, PROT_NONE) == 0) continue;
    mprotect(slab.memory, slab.stacks * stride_, PROT_READ | PROT_WRITE);
    guards_.give_back(slab.stacks);
    return false;
  }
  return true;
}

void StackSource::unmap(const Slab& slab) const noexcept {
  munmap(slab.memory, slab.stacks * stride_);
  if (slab.guarded) guards_.give_back(slab.stacks);
}

Descriptor* StackSource::descriptor(const Slab& slab, std::size_t index) const noexcept {
  std::byte* const end = slab.memory + (index + 1) * stride_;
  return std::launder(reinterpret_cast<Descriptor*>(end - sizeof(Descriptor)));
}

}  // namespace kumiko::runtime::detail
