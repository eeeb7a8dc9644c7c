#include <mutex>
#include <stdexcept>

#include <kumiko/runtime/counting_semaphore.hpp>

namespace kumiko::runtime {

CountingSemaphore::CountingSemaphore(std::ptrdiff_t permits) : permits_(permits) {
  if (permits < 0)
    throw std::invalid_argument("CountingSemaphore: the number of permits is negative");
}

void CountingSemaphore::release(std::ptrdiff_t n) noexcept {
  detail::WaitQueue::WakeList woken;
  guard_.lock();
  for (; n > 0; --n) {
    detail::Waiter* const waiter = waiters_.pop();
    if (waiter == nullptr) break;
    woken.append(*waiter);
  }
  permits_ += n;
  guard_.unlock();
  detail::WaitQueue::wake_all(woken);
}

bool CountingSemaphore::try_acquire() noexcept {
  const std::lock_guard guard(guard_);
  if (permits_ == 0) return false;
  --permits_;
  return true;
}

bool CountingSemaphore::acquire_until(const detail::Deadline* deadline) noexcept {
  guard_.lock();
  if (permits_ > 0) {
    --permits_;
    guard_.unlock();
    return true;
  }
  return waiters_.wait(guard_, {"a CountingSemaphore", this}, deadline);
}

}  // namespace kumiko::runtime
