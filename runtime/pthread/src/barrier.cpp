#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

#include <kumiko/runtime/this_thread.hpp>

#include "interpose.hpp"
#include "parking_lot.hpp"
#include "real.hpp"

namespace kumiko::pthread {

namespace {

/// A pthread_barrier_t of this process, in place.
class BarrierObject {
 public:
  static BarrierObject& of(pthread_barrier_t* barrier) noexcept {
    return *reinterpret_cast<BarrierObject*>(barrier);
  }

  void init(std::uint32_t count) noexcept {
    count_ = count;
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(0, std::memory_order_relaxed);
    inside_.store(0, std::memory_order_relaxed);
    mark_ = kOurs;
  }

  void mark_not_ours() noexcept { mark_ = 0; }
  bool is_ours() const noexcept { return mark_ == kOurs; }

  /// Returns whether the caller was the last to arrive.
  bool wait() noexcept;

  /// Waits until those who have been let go have left.
  void wait_until_left() const noexcept {
    // acquire: pairs with the release in wait().
    while (inside_.load(std::memory_order_acquire) != 0) runtime::this_thread::yield();
  }

 private:
  /// Behind what the C library uses of the object.
  static constexpr std::uint32_t kOurs = 0x6b756d69;

  std::uint32_t count_;
  std::atomic<std::uint32_t> arrived_;
  std::atomic<std::uint32_t> round_;
  std::atomic<std::uint32_t> inside_;
  [[maybe_unused]] std::uint32_t unused_[3];
  std::uint32_t mark_;
};
static_assert(sizeof(BarrierObject) <= sizeof(pthread_barrier_t));

bool BarrierObject::wait() noexcept {
  inside_.fetch_add(1, std::memory_order_relaxed);
  // relaxed: cannot change before we have arrived.
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  // acq_rel: the last one sees what all others have done.
  const bool last = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_;
  if (last) {
    arrived_.store(0, std::memory_order_relaxed);
    // release: pairs with the acquire below.
    round_.store(round + 1, std::memory_order_release);
    unpark(this, kAll);
  } else {
    // acquire: pairs with the release above.
    while (round_.load(std::memory_order_acquire) == round) {
      const auto same = [this, round] { return round_.load(std::memory_order_relaxed) == round; };
      park(this, same, {"a barrier", nullptr, false});
    }
  }
  // release: pairs with the acquire in wait_until_left(). Our last access.
  inside_.fetch_sub(1, std::memory_order_release);
  return last;
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_barrier_init(pthread_barrier_t* barrier,
                                          const pthread_barrierattr_t* attributes, unsigned count) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) pthread_barrierattr_getpshared(attributes, &shared);
  BarrierObject& object = BarrierObject::of(barrier);
  if (shared == PTHREAD_PROCESS_SHARED) {
    object.mark_not_ours();
    return real().pthread_barrier_init(barrier, attributes, count);
  }
  if (count == 0 || count > INT32_MAX) return EINVAL;
  object.init(count);
  return 0;
}

KUMIKO_INTERPOSE int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  const BarrierObject& object = BarrierObject::of(barrier);
  if (!object.is_ours()) return real().pthread_barrier_destroy(barrier);
  object.wait_until_left();
  return 0;
}

KUMIKO_INTERPOSE int pthread_barrier_wait(pthread_barrier_t* barrier) {
  BarrierObject& object = BarrierObject::of(barrier);
  if (!object.is_ours()) return real().pthread_barrier_wait(barrier);
  return object.wait() ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
