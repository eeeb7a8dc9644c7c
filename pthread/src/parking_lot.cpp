#include "parking_lot.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

#include <kumiko/runtime/this_thread.hpp>

#include "signals.hpp"
#include "thread_record.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

using runtime::port::SpinLock;
using runtime::port::Waiter;

/// One wait, on the stack of who waits.
struct Parked {
  Parked(const void* where, const ParkOptions& options, ThreadRecord* who) noexcept
      : waiter({options.reason, where}), address(where), thread(who) {}

  Waiter waiter;
  const void* const address;
  ThreadRecord* const thread;  ///< who may be interrupted meanwhile; nullptr for nobody
  Parked* next = nullptr;      ///< in a bucket, then among those to be woken
  Parked* previous = nullptr;
  bool queued = false;
  bool interrupted = false;
};

using ParkedQueue = runtime::port::LinkedQueue<Parked, &Parked::next, &Parked::previous>;

struct alignas(64) Bucket {
  SpinLock lock;
  ParkedQueue queue;

  void append(Parked& parked) noexcept {
    parked.queued = true;
    queue.append(parked);
  }

  void remove(Parked& parked) noexcept {
    parked.queued = false;
    queue.remove(parked);
  }
};

constexpr unsigned kBucketBits = 10;
constinit std::array<Bucket, std::size_t{1} << kBucketBits> buckets;

Bucket& bucket_of(const void* address) noexcept {
  // Fibonacci hashing; the lowest bits are the same in most objects.
  const std::uint64_t mixed =
      (reinterpret_cast<std::uintptr_t>(address) >> 2U) * 0x9e3779b97f4a7c15U;
  return buckets[mixed >> (64U - kBucketBits)];
}

/// What each OS thread keeps: how many SignalGuards live, whether a handler had to wait for them,
/// and whom it was to interrupt.
thread_local constinit int guards = 0;
thread_local constinit std::atomic<bool> put_off{false};
thread_local constinit std::atomic<ThreadRecord*> put_off_threads{nullptr};

bool is_os_thread() noexcept { return !runtime::port::is_lightweight(); }

/// What a lightweight thread does when it is off its stack, where its variables are not at hand.
void unlock_bucket(void* bucket) { static_cast<Bucket*>(bucket)->lock.unlock(); }

/// Wakes up to `most` of those in a bucket whose address is wanted.
template <class Wanted>
std::uint32_t unpark_from(Bucket& bucket, std::uint32_t most, Wanted wanted) noexcept;

/// Whether an address is this one.
auto is_at(const void* address) noexcept {
  return [address](const void* other) { return other == address; };
}

/// Does what interrupt_wait() does, under a guard.
void interrupt_now(ThreadRecord& thread) noexcept;

/// Ends a guard. What handlers wanted to wake is not known, so everybody looks at his word again.
void end_guard() noexcept {
  for (;;) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --guards;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (guards > 0 || !put_off.exchange(false, std::memory_order_relaxed)) return;
    ++guards;
    for (Bucket& bucket : buckets) unpark_from(bucket, kAll, [](const void*) { return true; });
    ThreadRecord* thread = put_off_threads.exchange(nullptr, std::memory_order_relaxed);
    while (thread != nullptr) {
      ThreadRecord* const next = thread->next_put_off;
      // acq_rel: pairs with interrupt_wait(). Who still finds it set has its signal seen below.
      thread->is_put_off.exchange(false, std::memory_order_acq_rel);
      interrupt_now(*thread);
      thread = next;
    }
  }
}

/// An OS thread sleeps from here on, and its signal handlers may wake it.
void unlock_bucket_and_end_guard(void* bucket) {
  static_cast<Bucket*>(bucket)->lock.unlock();
  end_guard();
}

/// Waits until woken, or for what else may end such a wait.
Waiter::End suspend(Waiter& waiter, const ParkOptions& options, Waiter::Publish publish,
                    Bucket& bucket) noexcept {
  if (options.handled != Handled::kGoesOn) {
    return waiter.wait_undisturbed(options.deadline, publish, &bucket);
  }
  if (options.deadline != nullptr) {
    return waiter.wait_until(*options.deadline, publish, &bucket) ? Waiter::End::kWoken
                                                                  : Waiter::End::kTimedOut;
  }
  waiter.wait(publish, &bucket);
  return Waiter::End::kWoken;
}

/// Whether a cancellation ends the wait of that thread, nullptr for one that cannot be interrupted.
bool is_cancelled(const ThreadRecord* thread, const ParkOptions& options) noexcept {
  return thread != nullptr && options.interrupts == Interrupts::kSignalsAndCancellation &&
         thread->is_cancelled();
}

/// Waits in a bucket that the caller has locked, and unlocks it.
ParkResult wait(Bucket& bucket, Parked& parked, const ParkOptions& options) noexcept {
  const bool os_thread = is_os_thread();
  const auto publish = os_thread ? &unlock_bucket_and_end_guard : &unlock_bucket;
  bucket.append(parked);
  const Waiter::End end = suspend(parked.waiter, options, publish, bucket);
  if (os_thread) {
    ++guards;
  } else {
    begin_slice();
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (end != Waiter::End::kWoken) {
    bucket.lock.lock();
    const bool was_queued = parked.queued;
    if (was_queued) bucket.remove(parked);
    bucket.lock.unlock();
    if (end == Waiter::End::kTimedOut) return ParkResult::kTimedOut;
    // An unpark() has chosen us after the kernel ended the wait: it is the next waiter's.
    if (!was_queued) unpark_from(bucket, 1, is_at(parked.address));
    return ParkResult::kSignalled;
  }
  if (!parked.interrupted) return ParkResult::kWoken;
  return is_cancelled(parked.thread, options) ? ParkResult::kCancelled : ParkResult::kSignalled;
}

/// park_if() as far as the first interruption.
ParkResult park_once(const void* address, bool (*condition)(const void* context),
                     const void* context, const ParkOptions& options,
                     ThreadRecord* thread) noexcept {
  Parked parked(address, options, thread);
  Bucket& bucket = bucket_of(address);
  if (thread != nullptr) {
    // seq_cst: pairs with interrupt_wait(), which looks here after the cancellation or the signal
    // is pending. Either it sees the address, and waits for the bucket's lock, or we see that.
    thread->parked_at.store(address, std::memory_order_seq_cst);
  }
  const SignalGuard guard;
  bucket.lock.lock();
  ParkResult result = ParkResult::kChanged;
  if (is_cancelled(thread, options)) {
    result = ParkResult::kCancelled;
  } else if (thread != nullptr && thread->signals_to_take() != 0) {
    result = ParkResult::kSignalled;
  } else if (condition(context)) {
    result = wait(bucket, parked, options);
    if (thread != nullptr) thread->parked_at.store(nullptr, std::memory_order_relaxed);
    return result;
  }
  bucket.lock.unlock();
  if (thread != nullptr) thread->parked_at.store(nullptr, std::memory_order_relaxed);
  return result;
}

}  // namespace

ParkResult park_if(const void* address, bool (*condition)(const void* context), const void* context,
                   const ParkOptions& options) {
  const int saved_errno = errno;
  ThreadRecord* const thread =
      options.interrupts != Interrupts::kNone ? ThreadRecord::running() : nullptr;
  if (options.deadline != nullptr && *options.deadline <= Deadline::clock::now()) {
    // Whoever asks again and again must not keep the worker from what he asks for.
    runtime::this_thread::yield();
    if (thread != nullptr) take_signals();
    errno = saved_errno;
    return condition(context) ? ParkResult::kTimedOut : ParkResult::kChanged;
  }
  ParkResult result = ParkResult::kSignalled;
  for (bool ended = false; !ended;) {
    result = park_once(address, condition, context, options, thread);
    // On an OS thread the kernel has called the handler, and reports it only if that ends the wait.
    if (result != ParkResult::kSignalled || thread == nullptr) break;
    const Taken taken = take_signals();
    ended = (options.handled == Handled::kEnds && taken != Taken::kNothing) ||
            (options.handled == Handled::kEndsUnlessRestart && taken == Taken::kEnds);
  }
  errno = saved_errno;
  return result;
}

namespace {

template <class Wanted>
std::uint32_t unpark_from(Bucket& bucket, std::uint32_t most, Wanted wanted) noexcept {
  ParkedQueue claimed;
  std::uint32_t count = 0;
  bucket.lock.lock();
  for (Parked* parked = bucket.queue.front(); parked != nullptr && count < most;) {
    Parked* const next = parked->next;
    if (wanted(parked->address)) {
      bucket.remove(*parked);
      // Where the deadline was first the waiter leaves by itself.
      if (parked->waiter.claim()) {
        claimed.append(*parked);
        ++count;
      }
    }
    parked = next;
  }
  bucket.lock.unlock();
  while (Parked* const parked = claimed.front()) {
    claimed.remove(*parked);  // the waiter may be gone after the wake
    parked->waiter.wake();
  }
  return count;
}

}  // namespace

std::uint32_t unpark(const void* address, std::uint32_t most) noexcept {
  if (guards != 0) {
    put_off.store(true, std::memory_order_relaxed);
    return 0;
  }
  const SignalGuard guard;
  return unpark_from(bucket_of(address), most, is_at(address));
}

SignalGuard::SignalGuard() noexcept : active_(is_os_thread()) {
  if (!active_) return;
  ++guards;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void SignalGuard::end() noexcept { end_guard(); }

void interrupt_wait(ThreadRecord& thread) noexcept {
  if (guards != 0) {
    // The caller is a signal handler, as in unpark(). Another handler may interrupt it at any
    // point. acq_rel: pairs with end_guard().
    if (thread.is_put_off.exchange(true, std::memory_order_acq_rel)) return;
    thread.next_put_off = put_off_threads.load(std::memory_order_relaxed);
    while (!put_off_threads.compare_exchange_weak(thread.next_put_off, &thread,
                                                  std::memory_order_relaxed)) {
    }
    put_off.store(true, std::memory_order_relaxed);
    return;
  }
  const SignalGuard guard;
  interrupt_now(thread);
}

namespace {

void interrupt_now(ThreadRecord& thread) noexcept {
  const auto is_wanted = [&thread] {
    return thread.is_cancelled() || thread.signals_to_take() != 0;
  };
  // A thread that waits cannot enable its cancellation meanwhile; one that is about to wait looks
  // itself, at the word that was written before this.
  thread.io_wait.interrupt_if(is_wanted);
  if (!is_wanted()) return;
  // seq_cst: see park_once().
  const void* const address = thread.parked_at.load(std::memory_order_seq_cst);
  if (address == nullptr) return;
  Bucket& bucket = bucket_of(address);
  bucket.lock.lock();
  Parked* parked = bucket.queue.front();
  while (parked != nullptr && parked->thread != &thread) parked = parked->next;
  const bool claimed = parked != nullptr && parked->waiter.claim();
  if (parked != nullptr) bucket.remove(*parked);
  if (claimed) parked->interrupted = true;
  bucket.lock.unlock();
  if (claimed) parked->waiter.wake();
}

}  // namespace

void forget_waiters() noexcept {
  guards = 0;
  put_off_threads.store(nullptr, std::memory_order_relaxed);
  for (Bucket& bucket : buckets) {
    bucket.queue = {};
    bucket.lock.unlock();
  }
}

}  // namespace kumiko::pthread
