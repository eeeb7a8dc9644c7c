#include "core/join_state.hpp"

#include "tunables.hpp"

namespace kumiko::runtime::detail {

Batch<JoinState> JoinStateSource::make() {
  auto slab = std::make_unique<JoinState[]>(tunables::kSlabSize);
  Batch<JoinState> states;
  for (std::size_t i = 0; i < tunables::kSlabSize; ++i) {
    slab[i].home = &home_;
    states.push(&slab[i]);
  }
  const std::lock_guard lock(mutex_);
  slabs_.push_back(std::move(slab));
  return states;
}

}  // namespace kumiko::runtime::detail
