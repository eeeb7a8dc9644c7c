#include <cassert>
#include <stdexcept>

#include <kumiko/runtime/barrier.hpp>

namespace kumiko::runtime {

Barrier::Barrier(std::ptrdiff_t expected, std::function<void()> on_completion)
    : expected_(expected), missing_(expected), on_completion_(std::move(on_completion)) {
  if (expected <= 0) throw std::invalid_argument("Barrier: the number of arrivals is not positive");
}

Barrier::ArrivalToken Barrier::arrive(std::ptrdiff_t n) { return arrive_and_expect_less(n, 0); }

void Barrier::arrive_and_drop() { arrive_and_expect_less(1, 1); }

Barrier::ArrivalToken Barrier::arrive_and_expect_less(std::ptrdiff_t n, std::ptrdiff_t dropped) {
  guard_.lock();
  // Only a completion lets others in between the last arrival and the end of its phase. They belong
  // to the next one, of which nothing may be counted before this one's count is reset.
  while (completes_) {
    waiters_.wait(guard_, {"the completion of a Barrier", this});
    guard_.lock();
  }
  assert(n >= 0 && n <= missing_);
  ArrivalToken arrival(phase_);
  expected_ -= dropped;
  missing_ -= n;
  if (missing_ != 0) {
    guard_.unlock();
    return arrival;
  }
  if (on_completion_) {
    completes_ = true;
    guard_.unlock();
    on_completion_();
    guard_.lock();
    completes_ = false;
  }
  missing_ = expected_;
  ++phase_;
  waiters_.wake_all_and_unlock(guard_);
  return arrival;
}

void Barrier::wait(ArrivalToken&& arrival) noexcept {
  guard_.lock();
  if (phase_ != arrival.phase_) {
    guard_.unlock();
  } else {
    waiters_.wait(guard_, {"a Barrier", this});
  }
}

}  // namespace kumiko::runtime
