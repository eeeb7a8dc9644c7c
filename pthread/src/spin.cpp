#include <atomic>
#include <cerrno>

#include <pthread.h>

#include <kumiko/runtime/this_thread.hpp>

#include "interpose.hpp"
#include "port/port.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

// The value that the C library has for a free lock on this processor, for locks between processes.
constexpr int kFree = 1;
constexpr int kLocked = 0;

/// Looks between two yields: the owner may be a lightweight thread that waits for this worker.
constexpr int kLooks = 100;

std::atomic<int>& word_of(pthread_spinlock_t* lock) noexcept {
  return *reinterpret_cast<std::atomic<int>*>(const_cast<int*>(lock));
}

bool take(std::atomic<int>& word) noexcept {
  // acquire: pairs with the release in pthread_spin_unlock().
  return word.exchange(kLocked, std::memory_order_acquire) == kFree;
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_spin_init(pthread_spinlock_t* lock, int) {
  word_of(lock).store(kFree, std::memory_order_relaxed);
  return 0;
}

KUMIKO_INTERPOSE int pthread_spin_destroy(pthread_spinlock_t*) { return 0; }

KUMIKO_INTERPOSE int pthread_spin_lock(pthread_spinlock_t* lock) {
  std::atomic<int>& word = word_of(lock);
  while (!take(word)) {
    int look = 0;
    while (word.load(std::memory_order_relaxed) != kFree && ++look < kLooks) {
      kumiko::runtime::port::cpu_pause();
    }
    if (look == kLooks) kumiko::runtime::this_thread::yield();
  }
  return 0;
}

KUMIKO_INTERPOSE int pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (take(word_of(lock))) return 0;
  count_turn(kWeightOfFailure);
  return EBUSY;
}

KUMIKO_INTERPOSE int pthread_spin_unlock(pthread_spinlock_t* lock) {
  // release: pairs with the acquire in take().
  word_of(lock).store(kFree, std::memory_order_release);
  return 0;
}
