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
  assert(n >= 0 && n <= missing_);
  ArrivalToken arrival(phase_);
  expected_ -= dropped;
  missing_ -= n;
  const bool last = missing_ == 0;
  if (!last) {
    guard_.unlock();
    return arrival;
  }
  guard_.unlock();
  // Nobody can arrive for the next phase before this one has ended.
  if (on_completion_) on_completion_();
  guard_.lock();
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
