#include <kumiko/runtime/condition_variable.hpp>

namespace kumiko::runtime {

void ConditionVariable::wait(std::unique_lock<Mutex>& lock) noexcept {
  // A notifier that owns the mutex after us finds the guard locked until we are in the queue, so
  // its notification is not lost. Nobody locks a mutex under the guard, so the order is safe.
  guard_.lock();
  lock.unlock();
  waiters_.wait(guard_);
  lock.lock();
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
