#include "time/timekeeper.hpp"

#include <algorithm>
#include <exception>

#include <pthread.h>

#include "time/timer_heap.hpp"

namespace kumiko::runtime::detail {

Timekeeper::~Timekeeper() {
  if (!os_thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  os_thread_.join();
}

bool Timekeeper::start() noexcept {
  // acquire: pairs with the release below.
  if (started_.load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(mutex_);
  if (os_thread_.joinable()) return true;
  try {
    os_thread_ = std::thread([this] { keep(); });
  } catch (const std::exception&) {
    return false;
  }
  pthread_setname_np(os_thread_.native_handle(), "kumiko-timer");
  started_.store(true, std::memory_order_release);
  return true;
}

void Timekeeper::watch(Deadline deadline) noexcept {
  // acquire: not before the addition's look at the heap (see the proof). The heap's lock does it.
  if (target_.load(std::memory_order_acquire) <= deadline.time_since_epoch().count()) return;
  {
    const std::lock_guard lock(mutex_);
    look_again_ = true;
  }
  changed_.notify_one();
}

void Timekeeper::keep() noexcept {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    look_again_ = false;
    target_.store(Deadline::max().time_since_epoch().count(), std::memory_order_release);
    lock.unlock();
    const Deadline next = wake_due_threads();
    lock.lock();
    if (look_again_ || stopping_) continue;
    target_.store(next.time_since_epoch().count(), std::memory_order_release);
    const auto something_changed = [this] { return look_again_ || stopping_; };
    if (next == Deadline::max()) {
      changed_.wait(lock, something_changed);
    } else {
      changed_.wait_until(lock, next, something_changed);
    }
  }
}

/// Returns the earliest deadline that is left.
Deadline Timekeeper::wake_due_threads() noexcept {
  Deadline next = Deadline::max();
  for (TimerHeap* const timers : heaps_) {
    const Deadline now = Deadline::clock::now();
    while (Descriptor* const thread = timers->expire_one(now)) make_runnable_(*thread);
    next = std::min(next, timers->earliest());
  }
  return next;
}

}  // namespace kumiko::runtime::detail
