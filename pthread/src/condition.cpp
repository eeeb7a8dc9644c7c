#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <kumiko/runtime/this_thread.hpp>

#include "clock.hpp"
#include "interpose.hpp"
#include "mutex.hpp"
#include "ours.hpp"
#include "parking_lot.hpp"
#include "real.hpp"
#include "thread_record.hpp"

namespace kumiko::pthread {

namespace {

/// A pthread_cond_t of this process, in place; the flags lie where the C library's initialiser puts
/// them.
///
/// A waiter reads the sequence while it owns the mutex, and waits only if it is still the same; a
/// signal changes it. So a signal that comes after the mutex was unlocked is not lost.
class ConditionObject {
 public:
  static ConditionObject& of(pthread_cond_t* condition) noexcept {
    return *reinterpret_cast<ConditionObject*>(condition);
  }

  bool is_ours() const noexcept { return (flags_ & kShared) == 0; }
  clockid_t clock() const noexcept {
    return (flags_ & kMonotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  }

  int wait(pthread_mutex_t* mutex, const Deadline* deadline);
  int signal(std::uint32_t most) noexcept;

  /// Waits until nobody touches it any more: those who have been woken may not have gone on yet.
  void wait_until_left() const noexcept {
    // acquire: pairs with the release in wait().
    while (waiters_.load(std::memory_order_acquire) != 0) runtime::this_thread::yield();
  }

 private:
  static constexpr std::uint32_t kShared = 1;
  static constexpr std::uint32_t kMonotonic = 2;

  std::atomic<std::uint32_t> sequence_;
  std::atomic<std::uint32_t> waiters_;
  [[maybe_unused]] std::uint32_t unused_[7];
  std::uint32_t flags_;
};
static_assert(sizeof(ConditionObject) <= sizeof(pthread_cond_t));
static_assert(offsetof(pthread_cond_t, __data.__wrefs) == 36,
              "where ConditionObject has its flags");

/// Locks it again at the end of a wait.
void lock_again(pthread_mutex_t* mutex) noexcept {
  MutexObject& object = MutexObject::of(mutex);
  if (object.is_ours()) {
    object.lock_at_once();
  } else {
    real().pthread_mutex_lock(mutex);
  }
}

int ConditionObject::wait(pthread_mutex_t* mutex, const Deadline* deadline) {
  // relaxed: the mutex orders these before whatever a signaller does with it.
  const std::uint32_t before = sequence_.load(std::memory_order_relaxed);
  waiters_.fetch_add(1, std::memory_order_relaxed);
  if (const int error = ours::our_pthread_mutex_unlock(mutex); error != 0) {
    waiters_.fetch_sub(1, std::memory_order_relaxed);
    return error;
  }
  const auto same = [this, before] { return sequence_.load(std::memory_order_relaxed) == before; };
  ParkResult woken = ParkResult::kWoken;
  {
    // Also if a signal handler ends the thread, for that is what cleanup handlers expect.
    const Finally relock([this, mutex] {
      // release: pairs with the acquire in wait_until_left(). Our last access.
      waiters_.fetch_sub(1, std::memory_order_release);
      lock_again(mutex);
    });
    woken =
        park(this, same, {"a condition variable", deadline, Interrupts::kSignalsAndCancellation});
  }
  // The mutex is locked here, as cleanup handlers expect it. If the call returns, a wake-up too
  // many does no harm.
  if (woken == ParkResult::kCancelled) real().pthread_testcancel();
  return woken == ParkResult::kTimedOut ? ETIMEDOUT : 0;
}

int ConditionObject::signal(std::uint32_t most) noexcept {
  // relaxed: a waiter that we must wake has counted itself before it unlocked the mutex, which we
  // have locked since, now or before.
  if (waiters_.load(std::memory_order_relaxed) == 0) return 0;
  sequence_.fetch_add(1, std::memory_order_relaxed);
  unpark(this, most);
  return 0;
}

/// A mutex that is not ours may only go with a condition that is not; the C library checks that.
int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
               const timespec* time) {
  if (!is_valid(clock, *time)) return EINVAL;
  const Deadline deadline = deadline_of(clock, *time);
  const int result = ConditionObject::of(condition).wait(mutex, &deadline);
  // If the clock was set back the caller looks at its state, and waits again.
  return result == ETIMEDOUT && !has_come(clock, *time) ? 0 : result;
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_cond_destroy(pthread_cond_t* condition) {
  const ConditionObject& object = ConditionObject::of(condition);
  if (!object.is_ours()) return real().pthread_cond_destroy(condition);
  object.wait_until_left();
  return 0;
}

KUMIKO_INTERPOSE int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  ConditionObject& object = ConditionObject::of(condition);
  if (!object.is_ours()) return real().pthread_cond_wait(condition, mutex);
  return object.wait(mutex, nullptr);
}

KUMIKO_INTERPOSE int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                            const timespec* time) {
  ConditionObject& object = ConditionObject::of(condition);
  if (!object.is_ours()) return real().pthread_cond_timedwait(condition, mutex, time);
  return wait_until(condition, mutex, object.clock(), time);
}

KUMIKO_INTERPOSE int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                            clockid_t clock, const timespec* time) {
  ConditionObject& object = ConditionObject::of(condition);
  if (!object.is_ours()) return real().pthread_cond_clockwait(condition, mutex, clock, time);
  return wait_until(condition, mutex, clock, time);
}

KUMIKO_INTERPOSE int pthread_cond_signal(pthread_cond_t* condition) {
  ConditionObject& object = ConditionObject::of(condition);
  return object.is_ours() ? object.signal(1) : real().pthread_cond_signal(condition);
}

KUMIKO_INTERPOSE int pthread_cond_broadcast(pthread_cond_t* condition) {
  ConditionObject& object = ConditionObject::of(condition);
  return object.is_ours() ? object.signal(kAll) : real().pthread_cond_broadcast(condition);
}
