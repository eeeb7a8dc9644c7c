#include <atomic>
#include <cerrno>
#include <cstdint>

#include <pthread.h>

#include <kumiko/runtime/this_thread.hpp>

#include "interpose.hpp"
#include "parking_lot.hpp"
#include "real.hpp"

namespace kumiko::pthread {

namespace {

/// A pthread_barrier_t of this process, in place.
///
/// The number of the round and the arrivals in it are one word, which only one atomic step at a
/// time changes. Invariant: arrivals < count_. A step either counts its caller for the round that
/// it names, or, by the last one missing, ends that round and begins the next with no arrival. So
/// more threads than count_ may use the barrier: whoever comes while a round ends has arrived
/// either before that step or after it, and knows in which round it waits.
///
/// `inside_` counts those between the first and the last access of their wait(). A thread adds
/// itself before it arrives, so whoever has been let go sees all that were counted for its round
/// there.
class BarrierObject {
 public:
  static BarrierObject& of(pthread_barrier_t* barrier) noexcept {
    return *reinterpret_cast<BarrierObject*>(barrier);
  }

  void init(std::uint32_t count) noexcept {
    count_ = count;
    inside_.store(0, std::memory_order_relaxed);
    state_.store(0, std::memory_order_relaxed);
    mark_ = kOurs;
  }

  void mark_not_ours() noexcept { mark_ = 0; }
  bool is_ours() const noexcept { return mark_ == kOurs; }

  /// Returns whether the caller was the last to arrive.
  bool wait();

  /// Waits until those who have been let go have left.
  void wait_until_left() const noexcept {
    // acquire: pairs with the release in wait().
    while (inside_.load(std::memory_order_acquire) != 0) runtime::this_thread::yield();
  }

 private:
  /// Behind what the C library uses of the object.
  static constexpr std::uint32_t kOurs = 0x6b756d69;

  /// One round in `state_`, which has the round in its upper half and the arrivals in its lower
  /// one.
  static constexpr std::uint64_t kRound = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t kArrivals = kRound - 1;
  static std::uint64_t round_of(std::uint64_t state) noexcept { return state / kRound; }

  std::uint64_t arrive() noexcept;

  std::uint32_t count_;
  std::atomic<std::uint32_t> inside_;
  std::atomic<std::uint64_t> state_;
  [[maybe_unused]] std::uint32_t unused_[3];
  std::uint32_t mark_;
};
static_assert(sizeof(BarrierObject) <= sizeof(pthread_barrier_t));
static_assert(alignof(BarrierObject) <= alignof(pthread_barrier_t));

/// Returns the state before, of the round in which the caller is counted.
std::uint64_t BarrierObject::arrive() noexcept {
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    const bool last = (seen & kArrivals) + 1 == count_;
    next = last ? (round_of(seen) + 1) * kRound : seen + 1;
    // release: an arrival brings along what its thread has done, and as all steps are atomic
    // exchanges, the step that ends the round brings along that of all. Pairs with the acquire
    // here, of the last one, and with the acquire in wait(), of the others.
  } while (!state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  return seen;
}

bool BarrierObject::wait() {
  // relaxed: the arrival carries it along.
  inside_.fetch_add(1, std::memory_order_relaxed);
  // release: pairs with the acquire in wait_until_left(). Our last access, also where a signal
  // handler ends the caller, which has arrived.
  const Finally leave([this] { inside_.fetch_sub(1, std::memory_order_release); });
  const std::uint64_t before = arrive();
  const bool last = (before & kArrivals) + 1 == count_;
  if (last) {
    // Those who have arrived for the next round meanwhile are woken too, and wait again.
    unpark(this, kAll);
  } else {
    const auto same = [this, before](std::memory_order order) {
      return round_of(state_.load(order)) == round_of(before);
    };
    // acquire: pairs with the release in arrive(). Without it where the bucket's lock has the
    // order.
    while (same(std::memory_order_acquire)) {
      park(this, [&same] { return same(std::memory_order_relaxed); }, {"a barrier"});
    }
  }
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
