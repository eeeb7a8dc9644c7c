#include <stdexcept>

#include <kumiko/runtime/task_group.hpp>

namespace kumiko::runtime {

namespace detail {

void JoinCounter::wait_slowly() noexcept {
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

void JoinCounter::give_up_token(void* counter) noexcept {
  auto& self = *static_cast<JoinCounter*>(counter);
  Waiter& waiter = *self.waiter_;
  const std::int64_t change = kOwnerToken - self.left_behind_;
  // release: pairs with the acquire in leave(), for waiter_ and the suspended owner itself.
  // acquire: pairs with the release in leave(), if all threads have left.
  if (self.tokens_.fetch_sub(change, std::memory_order_acq_rel) == change) waiter.wake();
}

void throw_no_group_owner() {
  throw std::logic_error("TaskGroup outside a lightweight thread; use Runtime::run to start one");
}

void throw_not_group_owner() {
  throw std::logic_error("TaskGroup::wait called by a thread that does not own the group");
}

}  // namespace detail

}  // namespace kumiko::runtime
