// A mutex of POSIX in the program's own pthread_mutex_t, for lightweight and OS threads alike.
#pragma once

#include <atomic>
#include <cstdint>

#include <pthread.h>

#include "parking_lot.hpp"

namespace kumiko::pthread {

/// A pthread_mutex_t of this process, in place. The C library's initialisers are ours: all zero but
/// the kind, which lies where it puts it.
///
/// The futex mutex of Drepper's "Futexes Are Tricky": kFree, kLocked, kContended (locked, and
/// somebody may wait). Not fair: who comes first after an unlock has it. Nothing of the object is
/// touched after unlock() has freed it, so its next owner may destroy it.
class MutexObject {
 public:
  static MutexObject& of(pthread_mutex_t* mutex) noexcept {
    return *reinterpret_cast<MutexObject*>(mutex);
  }

  /// Whether the mutex is this library's: robust ones and those of several processes are the C
  /// library's.
  bool is_ours() const noexcept { return (kind_ & (kRobust | kShared)) == 0; }

  int lock(const Deadline* deadline);
  /// lock() without giving way or taking signals: no handler ends the caller before it has it.
  int lock_at_once() noexcept { return lock(nullptr, Interrupts::kNone); }
  int try_lock();
  int unlock() noexcept;

  bool is_locked() const noexcept { return lock_.load(std::memory_order_relaxed) != kFree; }

 private:
  enum Type : int { kNormal, kRecursive, kErrorCheck, kAdaptive };
  static constexpr int kTypes = 3;
  static constexpr int kRobust = 16;
  static constexpr int kShared = 128;

  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kLocked = 1;
  static constexpr std::uint32_t kContended = 2;

  Type type() const noexcept { return static_cast<Type>(kind_ & kTypes); }
  bool knows_owner() const noexcept { return type() == kRecursive || type() == kErrorCheck; }
  bool take() noexcept {
    std::uint32_t expected = kFree;
    // acquire: pairs with the release in unlock().
    return lock_.compare_exchange_strong(expected, kLocked, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  int relock() noexcept;
  int lock(const Deadline* deadline, Interrupts interrupts);
  bool lock_contended(const Deadline* deadline, Interrupts interrupts);

  std::atomic<std::uint32_t> lock_;
  std::uint32_t depth_;  ///< of a recursive one's owner, beyond the first
  [[maybe_unused]] std::uint32_t unused_[2];
  int kind_;
  [[maybe_unused]] int unused_too_;
  std::atomic<pthread_t> owner_;  ///< 0 if free, or the owner is not to be known
};
static_assert(sizeof(MutexObject) <= sizeof(pthread_mutex_t));

}  // namespace kumiko::pthread
