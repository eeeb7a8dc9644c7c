// How the owner of a group waits where some of its threads have not ended: JoinCounter's slow half.
#pragma once

#include <atomic>

#include <kumiko/runtime/detail/group_state.hpp>

namespace kumiko::runtime::detail {

template <class Machine>
void BasicJoinCounter<Machine>::wait_slowly() noexcept {
  // acquire: pairs with the release in leave(), as in wait_for_all().
  if (tokens_.load(std::memory_order_acquire) + left_behind_ != kOwnerToken) {
    Waiter waiter({"the threads of a TaskGroup", this});
    waiter_ = &waiter;
    waiter.wait([](void* counter) { give_up_token(counter); }, this);
  }
  // relaxed: the counter is the owner's alone now.
  tokens_.store(kOwnerToken, std::memory_order_relaxed);
  left_behind_ = 0;
}

template <class Machine>
void BasicJoinCounter<Machine>::give_up_token(void* counter) noexcept {
  auto& self = *static_cast<BasicJoinCounter*>(counter);
  const WaiterPointer waiter = self.waiter_;
  const Number change = kOwnerToken - self.left_behind_;
  // release: pairs with the acquire in leave(), for waiter_ and the suspended owner itself.
  // acquire: pairs with the release in leave(), if all threads have left.
  if (self.tokens_.fetch_sub(change, std::memory_order_acq_rel) == change) waiter->wake();
}

}  // namespace kumiko::runtime::detail
