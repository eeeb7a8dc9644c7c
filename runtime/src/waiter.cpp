#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

#include "scheduler.hpp"
#include "worker.hpp"

namespace kumiko::runtime::detail {

Waiter::Waiter() noexcept : thread_(static_cast<Descriptor*>(running_thread())) {}

void Waiter::wait(Publish publish, void* argument) noexcept {
  if (thread_ != nullptr) {
    Worker::suspend({publish, argument});
  } else {
    publish(argument);
    parker_.park();
  }
}

void Waiter::wake() noexcept {
  if (thread_ == nullptr) {
    parker_.unpark();
    return;
  }
  Worker* const worker = current_worker();
  if (worker != nullptr && &worker->scheduler() == thread_->home) {
    worker->make_runnable(*thread_);
  } else {
    thread_->home->inject(*thread_);
  }
}

void WaitQueue::wait(SpinLock& guard) noexcept {
  Waiter waiter;
  if (first_ == nullptr) {
    first_ = &waiter;
  } else {
    last_->next_ = &waiter;
  }
  last_ = &waiter;
  waiter.wait([](void* lock) { static_cast<SpinLock*>(lock)->unlock(); }, &guard);
}

Waiter* WaitQueue::pop() noexcept {
  Waiter* const waiter = first_;
  if (waiter != nullptr) first_ = waiter->next_;
  return waiter;
}

void WaitQueue::wake_all_and_unlock(SpinLock& guard) noexcept {
  Waiter* waiter = first_;
  first_ = nullptr;
  guard.unlock();
  while (waiter != nullptr) {
    // Before the wake: the waiter may be gone after it.
    Waiter* const next = waiter->next_;
    waiter->wake();
    waiter = next;
  }
}

}  // namespace kumiko::runtime::detail
