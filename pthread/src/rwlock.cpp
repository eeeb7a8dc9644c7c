#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <pthread.h>

#include "clock.hpp"
#include "interpose.hpp"
#include "parking_lot.hpp"
#include "port/port.hpp"
#include "real.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

using runtime::port::SpinLock;

/// A pthread_rwlock_t of this process, in place; whether it is shared and whom it prefers lie where
/// the C library's initialiser puts them.
///
/// Readers wait at readers_turn_ and writers at writers_turn_, each until the word changes. Who
/// frees the lock changes the word of those that may try again, under the guard, and wakes them by
/// its address only.
class RwlockObject {
 public:
  static RwlockObject& of(pthread_rwlock_t* lock) noexcept {
    return *reinterpret_cast<RwlockObject*>(lock);
  }

  bool is_ours() const noexcept { return shared_ == 0; }

  bool is_locked() noexcept {
    const std::lock_guard guard(guard_);
    return readers_ != 0 || writer_ != 0;
  }

  int lock_shared(const Deadline* deadline);
  int lock(const Deadline* deadline);
  int try_lock_shared();
  int try_lock();
  int unlock() noexcept;

 private:
  bool admits_reader() const noexcept {
    const bool writers_first = kind_ == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
    return writer_ == 0 && !(writers_first && waiting_writers_ != 0);
  }
  bool admits_writer() const noexcept { return writer_ == 0 && readers_ == 0; }

  /// Waits for a turn. The caller has locked the guard, which is unlocked while it waits, and
  /// locked again also where a signal handler ends the caller. Returns false if the time is over.
  bool wait(std::atomic<std::uint32_t>& turn, std::uint32_t& waiting, const char* reason,
            const Deadline* deadline);
  void let_go_on() noexcept;

  SpinLock guard_;
  std::uint32_t readers_;
  pthread_t writer_;  ///< 0: none
  std::uint32_t waiting_writers_;
  std::atomic<std::uint32_t> writers_turn_;
  std::atomic<std::uint32_t> readers_turn_;
  int shared_;
  [[maybe_unused]] std::uint64_t unused_;
  std::uint32_t waiting_readers_;
  [[maybe_unused]] std::uint32_t unused_too_;
  unsigned kind_;
};
static_assert(sizeof(RwlockObject) <= sizeof(pthread_rwlock_t));
static_assert(offsetof(pthread_rwlock_t, __data.__shared) == 28 &&
                  offsetof(pthread_rwlock_t, __data.__flags) == 48,
              "where RwlockObject has them");

bool RwlockObject::wait(std::atomic<std::uint32_t>& turn, std::uint32_t& waiting,
                        const char* reason, const Deadline* deadline) {
  // relaxed: the guard orders it.
  const std::uint32_t before = turn.load(std::memory_order_relaxed);
  ++waiting;
  guard_.unlock();
  const auto same = [&turn, before] { return turn.load(std::memory_order_relaxed) == before; };
  const Finally back([this, &waiting] {
    guard_.lock();
    --waiting;
  });
  return park(&turn, same, {reason, deadline}) != ParkResult::kTimedOut;
}

int RwlockObject::lock_shared(const Deadline* deadline) {
  count_turn(1);
  const std::lock_guard guard(guard_);
  while (!admits_reader()) {
    if (writer_ == pthread_self()) return EDEADLK;
    if (!wait(readers_turn_, waiting_readers_, "a read-write lock, to read", deadline)) {
      return ETIMEDOUT;
    }
  }
  ++readers_;
  return 0;
}

int RwlockObject::lock(const Deadline* deadline) {
  count_turn(1);
  guard_.lock();
  bool gives_up = false;
  const Finally end([this, &gives_up] {
    // Readers may have waited for nothing but us; and a turn meant for us is another's.
    if (gives_up) return let_go_on();
    guard_.unlock();
  });
  while (!admits_writer()) {
    if (writer_ == pthread_self()) return EDEADLK;
    gives_up = true;  // at the deadline, or where a signal handler ends the caller
    if (!wait(writers_turn_, waiting_writers_, "a read-write lock, to write", deadline)) {
      return ETIMEDOUT;
    }
    gives_up = false;
  }
  writer_ = pthread_self();
  return 0;
}

int RwlockObject::try_lock_shared() {
  guard_.lock();
  const bool admitted = admits_reader();
  if (admitted) ++readers_;
  guard_.unlock();
  if (!admitted) count_turn(kWeightOfFailure);
  return admitted ? 0 : EBUSY;
}

int RwlockObject::try_lock() {
  guard_.lock();
  const bool admitted = admits_writer();
  if (admitted) writer_ = pthread_self();
  guard_.unlock();
  if (!admitted) count_turn(kWeightOfFailure);
  return admitted ? 0 : EBUSY;
}

int RwlockObject::unlock() noexcept {
  guard_.lock();
  if (writer_ != 0) {
    writer_ = 0;
  } else {
    --readers_;
  }
  let_go_on();
  return 0;
}

/// Lets those who wait try again; unlocks the guard, which is the last access to the object.
void RwlockObject::let_go_on() noexcept {
  const bool wake_writer = admits_writer() && waiting_writers_ != 0;
  const bool wake_readers = admits_reader() && waiting_readers_ != 0;
  // relaxed: the waiters look under the bucket's lock, which unpark() takes after this.
  if (wake_writer) writers_turn_.fetch_add(1, std::memory_order_relaxed);
  if (wake_readers) readers_turn_.fetch_add(1, std::memory_order_relaxed);
  const void* const writers = &writers_turn_;
  const void* const readers = &readers_turn_;
  guard_.unlock();
  if (wake_readers) unpark(readers, kAll);
  if (wake_writer) unpark(writers, 1);
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  RwlockObject& object = RwlockObject::of(lock);
  if (!object.is_ours()) return real().pthread_rwlock_destroy(lock);
  return object.is_locked() ? EBUSY : 0;
}

KUMIKO_INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  RwlockObject& object = RwlockObject::of(lock);
  return object.is_ours() ? object.lock_shared(nullptr) : real().pthread_rwlock_rdlock(lock);
}

KUMIKO_INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  RwlockObject& object = RwlockObject::of(lock);
  return object.is_ours() ? object.lock(nullptr) : real().pthread_rwlock_wrlock(lock);
}

KUMIKO_INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  RwlockObject& object = RwlockObject::of(lock);
  return object.is_ours() ? object.try_lock_shared() : real().pthread_rwlock_tryrdlock(lock);
}

KUMIKO_INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  RwlockObject& object = RwlockObject::of(lock);
  return object.is_ours() ? object.try_lock() : real().pthread_rwlock_trywrlock(lock);
}

KUMIKO_INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                                const timespec* time) {
  RwlockObject& object = RwlockObject::of(lock);
  if (!object.is_ours()) return real().pthread_rwlock_clockrdlock(lock, clock, time);
  return wait_by_clock(
      clock, *time, [&object](const Deadline& deadline) { return object.lock_shared(&deadline); });
}

KUMIKO_INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                                const timespec* time) {
  RwlockObject& object = RwlockObject::of(lock);
  if (!object.is_ours()) return real().pthread_rwlock_clockwrlock(lock, clock, time);
  return wait_by_clock(clock, *time,
                       [&object](const Deadline& deadline) { return object.lock(&deadline); });
}

KUMIKO_INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, time);
}

KUMIKO_INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, time);
}

KUMIKO_INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  RwlockObject& object = RwlockObject::of(lock);
  return object.is_ours() ? object.unlock() : real().pthread_rwlock_unlock(lock);
}
