#include <kumiko/runtime/condition_variable.hpp>

namespace kumiko::runtime {

bool ConditionVariable::wait_notified(std::unique_lock<Mutex>& lock,
                                      const detail::Deadline* deadline) noexcept {
  // A notifier that owns the mutex after us finds the guard locked until we are in the queue, so
  // its notification is not lost. Nobody locks a mutex under the guard, so the order is safe.
  guard_.lock();
  lock.unlock();
  const bool notified = waiters_.wait(guard_, {"a ConditionVariable", this}, deadline);
  lock.lock();
  return notified;
}

/// A stop is requested before its callback locks the guard to notify; so either we see it here, or
/// we are in the queue by then.
bool ConditionVariable::wait_unless_stopped(std::unique_lock<Mutex>& lock,
                                            const std::stop_token& stop,
                                            const detail::Deadline* deadline) noexcept {
  guard_.lock();
  if (stop.stop_requested()) {
    guard_.unlock();
    return false;
  }
  lock.unlock();
  waiters_.wait(guard_, {"a ConditionVariable", this}, deadline);
  lock.lock();
  return true;
}

void ConditionVariable::notify_one() noexcept {
  guard_.lock();
  detail::Waiter* const waiter = waiters_.pop();
  guard_.unlock();
  if (waiter != nullptr) waiter->wake();
}

void ConditionVariable::notify_all() noexcept {
  guard_.lock();
  waiters_.wake_all_and_unlock(guard_);
}

}  // namespace kumiko::runtime
