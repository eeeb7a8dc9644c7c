#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/detail/waiter.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime::detail {

Waiter::Waiter(WaitReason reason) noexcept
    : thread_(static_cast<Descriptor*>(running_thread())), reason_(reason) {}

void Waiter::wait(Publish publish, void* argument) noexcept {
  if (thread_ != nullptr) {
    thread_->wait_reason = reason_;
    Worker::suspend({publish, argument});
    thread_->wait_reason = {};
  } else {
    publish(argument);
    parker_.park();
  }
}

struct Waiter::TimedPublication {
  Waiter& waiter;
  Deadline deadline;
  Publish publish;
  void* argument;

  /// Once the deadline is known to the worker's timers the thread may be resumed at any time.
  static void run(void* publication) noexcept {
    const TimedPublication self = *static_cast<TimedPublication*>(publication);
    Waiter& waiter = self.waiter;
    Worker& worker = *current_worker();
    waiter.timers_ = &worker.timers();
    Timekeeper& timekeeper = worker.scheduler().timekeeper();
    if (timekeeper.start() && worker.timers().add(waiter, self.deadline)) {
      self.publish(self.argument);
      timekeeper.watch(self.deadline);
      return;
    }
    // No memory or OS thread for the timer: better too short a wait than one without an end.
    waiter.claimed_.store(true, std::memory_order_relaxed);
    waiter.timed_out_ = true;
    self.publish(self.argument);
    worker.make_runnable(*waiter.thread_);
  }
};

bool Waiter::wait_until(Deadline deadline, Publish publish, void* argument) noexcept {
  ends_itself_ = true;
  if (thread_ != nullptr) {
    thread_->wait_reason = reason_;
    TimedPublication publication{*this, deadline, publish, argument};
    Worker::suspend({[](void* timed) { TimedPublication::run(timed); }, &publication});
    thread_->wait_reason = {};
    if (!timed_out_) timers_->remove(*this);
    return !timed_out_;
  }
  publish(argument);
  if (parker_.park_until(deadline)) return true;
  if (claim()) return false;
  parker_.park();  // a waker has claimed it and is about to wake us
  return true;
}

Waiter::End Waiter::wait_undisturbed(const Deadline* deadline, Publish publish,
                                     void* argument) noexcept {
  if (thread_ != nullptr) {
    if (deadline != nullptr) {
      return wait_until(*deadline, publish, argument) ? End::kWoken : End::kTimedOut;
    }
    wait(publish, argument);
    return End::kWoken;
  }
  ends_itself_ = true;
  publish(argument);
  if (parker_.park_undisturbed(deadline)) return End::kWoken;
  const bool timed_out = deadline != nullptr && *deadline <= Deadline::clock::now();
  const bool woken = !claim();
  if (woken) parker_.park();  // a waker has claimed it and is about to wake us
  if (!timed_out) return End::kInterrupted;
  return woken ? End::kWoken : End::kTimedOut;
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

bool WaitQueue::wait(SpinLock& guard, WaitReason reason, const Deadline* deadline) noexcept {
  const auto unlock = [](void* lock) { static_cast<SpinLock*>(lock)->unlock(); };
  if (deadline != nullptr && *deadline <= Deadline::clock::now()) {
    guard.unlock();
    // Whoever asks again and again must not keep the worker from what he asks for.
    this_thread::yield();
    return false;
  }
  Waiter waiter(reason);
  waiter.queued_ = true;
  waiters_.append(waiter);
  if (deadline == nullptr) {
    waiter.wait(unlock, &guard);
    return true;
  }
  if (waiter.wait_until(*deadline, unlock, &guard)) return true;
  guard.lock();
  if (waiter.queued_) remove(waiter);
  guard.unlock();
  return false;
}

bool WaitQueue::claim_front() noexcept {
  Waiter& waiter = *waiters_.front();
  remove(waiter);
  return waiter.claim();
}

Waiter* WaitQueue::pop() noexcept {
  while (Waiter* const waiter = waiters_.front()) {
    if (claim_front()) return waiter;
  }
  return nullptr;
}

void WaitQueue::wake_all_and_unlock(SpinLock& guard) noexcept {
  // Claimed under the guard: a waiter whose time has run out may leave as soon as it is unlocked.
  WakeList claimed;
  while (Waiter* const waiter = pop()) claimed.append(*waiter);
  guard.unlock();
  wake_all(claimed);
}

void WaitQueue::remove(Waiter& waiter) noexcept {
  waiter.queued_ = false;
  waiters_.remove(waiter);
}

void WaitQueue::wake_all(WakeList& claimed) noexcept {
  while (Waiter* const waiter = claimed.front()) {
    // Before the wake: the waiter may be gone after it.
    claimed.remove(*waiter);
    waiter->wake();
  }
}

}  // namespace kumiko::runtime::detail
