#include "mutex.hpp"

#include <cerrno>
#include <cstddef>

#include "clock.hpp"
#include "interpose.hpp"
#include "port/port.hpp"
#include "real.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

static_assert(offsetof(pthread_mutex_t, __data.__kind) == 16, "where MutexObject has it");

namespace {
/// Looks at a lock that is taken before waiting for it: its owner may be running, and done soon.
constexpr int kLooks = 40;
}  // namespace

int MutexObject::relock() noexcept {
  if (type() == kErrorCheck) return EDEADLK;
  if (depth_ == UINT32_MAX) return EAGAIN;
  ++depth_;
  return 0;
}

int MutexObject::lock(const Deadline* deadline) {
  count_turn(1);
  return lock(deadline, Interrupts::kSignals);
}

int MutexObject::lock(const Deadline* deadline, Interrupts interrupts) {
  if (!knows_owner()) {
    return take() || lock_contended(deadline, interrupts) ? 0 : ETIMEDOUT;
  }
  const pthread_t self = pthread_self();
  // relaxed: only we ourselves can have written our own name.
  if (owner_.load(std::memory_order_relaxed) == self) return relock();
  if (!take() && !lock_contended(deadline, interrupts)) return ETIMEDOUT;
  owner_.store(self, std::memory_order_relaxed);
  return 0;
}

/// A signal handler may end the caller in park(). No wake-up is lost with it: a waiter that
/// unlock() has woken looks at the lock before it parks again, and marks it as contended.
bool MutexObject::lock_contended(const Deadline* deadline, Interrupts interrupts) {
  for (int look = 0; look < kLooks; ++look) {
    runtime::port::cpu_pause();
    if (lock_.load(std::memory_order_relaxed) == kFree && take()) return true;
  }
  // acquire: pairs with the release in unlock().
  while (lock_.exchange(kContended, std::memory_order_acquire) != kFree) {
    const auto taken = [this] { return lock_.load(std::memory_order_relaxed) == kContended; };
    if (park(this, taken, {"a mutex", deadline, interrupts}) == ParkResult::kTimedOut) return false;
  }
  return true;
}

int MutexObject::try_lock() {
  const pthread_t self = pthread_self();
  if (type() == kRecursive && owner_.load(std::memory_order_relaxed) == self) return relock();
  if (!take()) {
    count_turn(kWeightOfFailure);
    return EBUSY;
  }
  if (knows_owner()) owner_.store(self, std::memory_order_relaxed);
  return 0;
}

int MutexObject::unlock() noexcept {
  if (knows_owner()) {
    if (owner_.load(std::memory_order_relaxed) != pthread_self()) return EPERM;
    if (depth_ != 0) {
      --depth_;
      return 0;
    }
    owner_.store(0, std::memory_order_relaxed);
  }
  // release: pairs with the acquire of the next owner.
  if (lock_.exchange(kFree, std::memory_order_release) == kContended) unpark(this, 1);
  return 0;
}

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  const MutexObject& object = MutexObject::of(mutex);
  if (object.is_ours() && object.is_locked()) return EBUSY;
  return real().pthread_mutex_destroy(mutex);
}

KUMIKO_INTERPOSE int pthread_mutex_lock(pthread_mutex_t* mutex) {
  MutexObject& object = MutexObject::of(mutex);
  if (!object.is_ours()) [[unlikely]]
    return real().pthread_mutex_lock(mutex);
  return object.lock(nullptr);
}

KUMIKO_INTERPOSE int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  MutexObject& object = MutexObject::of(mutex);
  if (!object.is_ours()) [[unlikely]]
    return real().pthread_mutex_trylock(mutex);
  return object.try_lock();
}

KUMIKO_INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                             const timespec* time) {
  MutexObject& object = MutexObject::of(mutex);
  if (!object.is_ours()) [[unlikely]]
    return real().pthread_mutex_clocklock(mutex, clock, time);
  return wait_by_clock(clock, *time,
                       [&object](const Deadline& deadline) { return object.lock(&deadline); });
}

KUMIKO_INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

KUMIKO_INTERPOSE int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  MutexObject& object = MutexObject::of(mutex);
  if (!object.is_ours()) [[unlikely]]
    return real().pthread_mutex_unlock(mutex);
  return object.unlock();
}
