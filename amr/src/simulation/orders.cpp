#include "simulation/orders.hpp"

#include <mutex>
#include <stdexcept>
#include <utility>

#include "sharing/mailbox.hpp"

namespace kumiko::amr {

void Orders::check_failure() const {
  if (failed_ && !has_gone_back_) std::rethrow_exception(failed_);
}

void Orders::check_failure_before_steps() const {
  if (failed_) std::rethrow_exception(failed_);
}

void Orders::keep_failure(bool had_gone_back) {
  if (had_gone_back) has_gone_back_ = false;
  failed_ = std::current_exception();
}

bool Orders::follow() {
  Order* const order = next();
  if (order == nullptr) {
    if (failed_) std::rethrow_exception(failed_);
    return false;
  }
  std::exception_ptr thrown;
  try {
    order->work();
  } catch (...) {
    thrown = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    order->thrown = thrown;
    order->is_done = true;
    changed_.notify_all();
  }
  if (!thrown) return true;
  if (!has_gone_back_) std::rethrow_exception(thrown);
  failed_ = thrown;
  return true;
}

/// Takes the next order; nullptr if there is none any more.
Orders::Order* Orders::next() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, Mailbox::kAskEvery,
                            [&] { return order_ != nullptr || has_ended_; })) {
    check_leader(lock);
  }
  changed_.notify_all();  // there may be room for another one
  return std::exchange(order_, nullptr);
}

void Orders::check_leader(std::unique_lock<runtime::Mutex>& lock) {
  std::exception_ptr lost;
  lock.unlock();
  try {
    communicator_.check_leader();
  } catch (...) {
    lost = std::current_exception();
  }
  lock.lock();
  // Rank 0 leaves after it has ended, too.
  if (lost && order_ == nullptr && !has_ended_) std::rethrow_exception(lost);
}

void Orders::execute(runtime::FunctionRef<void()> work) {
  Order order{work};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return order_ == nullptr || has_ended_; });
  if (!has_ended_) {
    order_ = &order;
    changed_.notify_all();
    changed_.wait(lock, [&] { return order.is_done || (has_ended_ && order_ == &order); });
    if (order_ == &order) order_ = nullptr;
  }
  if (!order.is_done) throw std::runtime_error("this rank's run has ended");
  if (order.thrown) std::rethrow_exception(order.thrown);
}

void Orders::end() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

}  // namespace kumiko::amr
