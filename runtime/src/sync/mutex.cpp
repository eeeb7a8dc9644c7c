#include <kumiko/runtime/mutex.hpp>

namespace kumiko::runtime {

bool Mutex::lock_contended(const detail::Deadline* deadline) noexcept {
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
    return true;
  }
  // The owner cannot free the mutex from now on, it must hand it over; and for that it must wait
  // for the guard, which is unlocked once this waiter is in the queue.
  return waiters_.wait(guard_, {"a Mutex", this}, deadline);
}

/// Nobody may destroy the mutex before its next owner knows of it, so our last access is the unlock
/// of the guard if there is one, and freeing the mutex otherwise.
void Mutex::hand_over() noexcept {
  for (;;) {
    guard_.lock();
    detail::Waiter* const next_owner = waiters_.pop();
    // relaxed: the mutex stays locked; the waking orders the critical sections.
    if (waiters_.empty()) state_.store(State::kLocked, std::memory_order_relaxed);
    guard_.unlock();
    if (next_owner != nullptr) {
      next_owner->wake();
      return;
    }
    // The time of all that waited has run out.
    State expected = State::kLocked;
    // release: pairs with the acquire in try_lock() and lock_contended().
    if (state_.compare_exchange_strong(expected, State::kFree, std::memory_order_release,
                                       std::memory_order_relaxed)) {
      return;
    }
  }
}

}  // namespace kumiko::runtime
