#include <cassert>
#include <mutex>
#include <stdexcept>

#include <kumiko/runtime/latch.hpp>

namespace kumiko::runtime {

Latch::Latch(std::ptrdiff_t expected) : count_(expected) {
  if (expected < 0) throw std::invalid_argument("Latch: the count is negative");
}

void Latch::count_down(std::ptrdiff_t n) noexcept {
  guard_.lock();
  assert(n >= 0 && n <= count_);
  count_ -= n;
  if (count_ == 0) {
    waiters_.wake_all_and_unlock(guard_);
  } else {
    guard_.unlock();
  }
}

bool Latch::try_wait() const noexcept {
  const std::lock_guard lock(guard_);
  return count_ == 0;
}

void Latch::wait() noexcept {
  guard_.lock();
  if (count_ == 0) {
    guard_.unlock();
  } else {
    waiters_.wait(guard_, {"a Latch", this});
  }
}

void Latch::arrive_and_wait(std::ptrdiff_t n) noexcept {
  count_down(n);
  wait();
}

}  // namespace kumiko::runtime
