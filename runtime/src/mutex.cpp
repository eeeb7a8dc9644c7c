#include <kumiko/runtime/mutex.hpp>

namespace kumiko::runtime {

void Mutex::lock_contended() noexcept {
  guard_.lock();
  State seen = state_.load(std::memory_order_relaxed);
  for (;;) {
    const State wanted = seen == State::kFree ? State::kLocked : State::kContended;
    // acquire: pairs with the release in unlock(), if the mutex has become free.
    if (seen == State::kContended ||
        state_.compare_exchange_weak(seen, wanted, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      break;
    }
  }
  if (seen == State::kFree) {
    guard_.unlock();
    return;
  }
  // The owner cannot free the mutex from now on, it must hand it over; and for that it must wait
  // for the guard, which is unlocked once this waiter is in the queue.
  waiters_.wait(guard_);
}

/// The owner's, so nobody may destroy the mutex before the new owner knows; the guard's unlock is
/// our last access.
void Mutex::hand_over() noexcept {
  guard_.lock();
  detail::Waiter* const next_owner = waiters_.pop();
  // relaxed: the mutex stays locked; the waking orders the critical sections.
  if (waiters_.empty()) state_.store(State::kLocked, std::memory_order_relaxed);
  guard_.unlock();
  next_owner->wake();
}

}  // namespace kumiko::runtime
