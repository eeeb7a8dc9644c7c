#include <atomic>
#include <cerrno>
#include <cstdint>

#include <semaphore.h>

#include "clock.hpp"
#include "interpose.hpp"
#include "parking_lot.hpp"
#include "real.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

/// A sem_t, in place, as the C library lays it out: so sem_init() and sem_getvalue() are its own.
class SemaphoreObject {
 public:
  static SemaphoreObject& of(sem_t* semaphore) noexcept {
    return *reinterpret_cast<SemaphoreObject*>(semaphore);
  }

  /// Whether the semaphore is this library's: those of several processes, and what sem_open()
  /// returns, are the C library's.
  bool is_ours() const noexcept { return shared_ == 0; }

  bool try_take() noexcept;
  int post() noexcept;
  int wait(const Deadline* deadline);

 private:
  static constexpr std::uint64_t kValue = UINT32_MAX;
  static constexpr std::uint64_t kWaiter = std::uint64_t{1} << 32U;
  std::atomic<std::uint64_t> state_;  ///< the value, and in the upper half the number of waiters
  int shared_;
};
static_assert(sizeof(SemaphoreObject) <= sizeof(sem_t));

bool SemaphoreObject::try_take() noexcept {
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  while ((seen & kValue) != 0) {
    // acquire: pairs with the release in post().
    if (state_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

/// The object may be gone after the first step; unpark() needs no more than its address.
int SemaphoreObject::post() noexcept {
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  do {
    if ((seen & kValue) == SEM_VALUE_MAX) return returned<int>(-EOVERFLOW);
    // release: pairs with the acquire of who takes it.
  } while (!state_.compare_exchange_weak(seen, seen + 1, std::memory_order_release,
                                         std::memory_order_relaxed));
  if (seen >= kWaiter) unpark(this, 1);
  return 0;
}

int SemaphoreObject::wait(const Deadline* deadline) {
  Interrupts interrupts = Interrupts::kSignalsAndCancellation;
  // Linux does not begin a wait again that has a time limit.
  const Handled handled = deadline != nullptr ? Handled::kEnds : Handled::kEndsUnlessRestart;
  while (!try_take()) {
    const auto empty = [this] { return (state_.load(std::memory_order_relaxed) & kValue) == 0; };
    ParkResult woken = ParkResult::kWoken;
    {
      // relaxed: one word, whose changes have one order. Who posts after this sees the waiter.
      state_.fetch_add(kWaiter, std::memory_order_relaxed);
      // Also where a signal handler ends the caller.
      const Finally leave([this] { state_.fetch_sub(kWaiter, std::memory_order_relaxed); });
      woken = park(this, empty, {"a semaphore", deadline, interrupts, handled});
    }
    if (woken == ParkResult::kSignalled) return EINTR;
    if (woken == ParkResult::kTimedOut) return ETIMEDOUT;
    if (woken == ParkResult::kCancelled) {
      real().pthread_testcancel();
      interrupts = Interrupts::kSignals;
    }
  }
  return 0;
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int sem_wait(sem_t* semaphore) {
  SemaphoreObject& object = SemaphoreObject::of(semaphore);
  if (!object.is_ours()) return real().sem_wait(semaphore);
  real().pthread_testcancel();
  return returned<int>(-object.wait(nullptr));
}

KUMIKO_INTERPOSE int sem_trywait(sem_t* semaphore) {
  SemaphoreObject& object = SemaphoreObject::of(semaphore);
  if (!object.is_ours()) return real().sem_trywait(semaphore);
  if (object.try_take()) return 0;
  count_turn(kWeightOfFailure);
  return returned<int>(-EAGAIN);
}

KUMIKO_INTERPOSE int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  SemaphoreObject& object = SemaphoreObject::of(semaphore);
  if (!object.is_ours()) return real().sem_clockwait(semaphore, clock, time);
  real().pthread_testcancel();
  if (object.try_take()) return 0;
  return returned<int>(-wait_by_clock(
      clock, *time, [&object](const Deadline& deadline) { return object.wait(&deadline); }));
}

KUMIKO_INTERPOSE int sem_timedwait(sem_t* semaphore, const timespec* time) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, time);
}

KUMIKO_INTERPOSE int sem_post(sem_t* semaphore) {
  SemaphoreObject& object = SemaphoreObject::of(semaphore);
  return object.is_ours() ? object.post() : real().sem_post(semaphore);
}
