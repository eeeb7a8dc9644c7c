#include "descriptor.hpp"

#include <algorithm>
#include <utility>

#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

constexpr std::size_t kStackAlignment = 16;

}  // namespace

void* Descriptor::prepare(Stack& on, std::size_t closure_size,
                          std::size_t closure_alignment) noexcept {
  const std::size_t needed = closure_size + closure_alignment + tunables::kRoomBelowClosure;
  if (needed > on.size) return nullptr;
  sanitizer::renew(on.notes, on.bottom(), on.size);
  const std::size_t alignment = std::max(closure_alignment, kStackAlignment);
  const auto end = reinterpret_cast<std::uintptr_t>(on.bottom() + on.size);
  stack = &on;
  closure = reinterpret_cast<void*>((end - closure_size) / alignment * alignment);
  fiber = {nullptr, on.notes};
  parent = nullptr;
  attached_child = nullptr;
  group = nullptr;
  exception_state = {};
  // The thread is not known to anybody yet.
  join.store(join_word::kRunning, std::memory_order_relaxed);
  return closure;
}

Batch<Descriptor> DescriptorSource::make() {
  auto slab = std::make_unique<Descriptor[]>(tunables::kSlabSize);
  Batch<Descriptor> descriptors;
  for (std::size_t i = 0; i < tunables::kSlabSize; ++i) {
    slab[i].home = &home_;
    descriptors.push(&slab[i]);
  }
  const std::lock_guard lock(mutex_);
  slabs_.push_back(std::move(slab));
  return descriptors;
}

}  // namespace kumiko::runtime::detail
