#include <mutex>

#include <kumiko/runtime/shared_mutex.hpp>

namespace kumiko::runtime {

namespace {

// Told apart by their addresses, too.
constexpr char kExclusive[] = "a SharedMutex, exclusively";
constexpr char kShared[] = "a SharedMutex, shared";

}  // namespace

bool SharedMutex::try_lock() noexcept {
  const std::lock_guard guard(guard_);
  if (exclusive_ || sharers_ != 0) return false;
  exclusive_ = true;
  return true;
}

bool SharedMutex::try_lock_shared() noexcept {
  const std::lock_guard guard(guard_);
  if (exclusive_ || !waiters_.empty()) return false;
  ++sharers_;
  return true;
}

bool SharedMutex::lock_until(const detail::Deadline* deadline) noexcept {
  guard_.lock();
  if (!exclusive_ && sharers_ == 0) {
    exclusive_ = true;
    guard_.unlock();
    return true;
  }
  if (waiters_.wait(guard_, {kExclusive, this}, deadline)) return true;
  // Those behind may have waited for nothing but us.
  guard_.lock();
  admit_and_unlock_guard();
  return false;
}

bool SharedMutex::lock_shared_until(const detail::Deadline* deadline) noexcept {
  guard_.lock();
  if (!exclusive_ && waiters_.empty()) {
    ++sharers_;
    guard_.unlock();
    return true;
  }
  return waiters_.wait(guard_, {kShared, this}, deadline);
}

void SharedMutex::unlock() noexcept {
  guard_.lock();
  exclusive_ = false;
  admit_and_unlock_guard();
}

void SharedMutex::unlock_shared() noexcept {
  guard_.lock();
  --sharers_;
  admit_and_unlock_guard();
}

/// Lets those in whose turn it is. The guard's unlock is the last access to the mutex.
void SharedMutex::admit_and_unlock_guard() noexcept {
  detail::WaitQueue::WakeList admitted;
  while (detail::Waiter* const next = waiters_.front()) {
    const bool shared = next->reason().kind == kShared;
    if (exclusive_ || (!shared && sharers_ != 0)) break;
    if (!waiters_.claim_front()) continue;
    if (shared) {
      ++sharers_;
    } else {
      exclusive_ = true;
    }
    admitted.append(*next);
  }
  guard_.unlock();
  detail::WaitQueue::wake_all(admitted);
}

}  // namespace kumiko::runtime
