// A work-stealing deque whose owner needs no fence, since it shares its work only when asked to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <kumiko/runtime/detail/hardware.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

#include "machine/asymmetric_barrier.hpp"

namespace kumiko::runtime::detail {

/// A ring of pointers. Its owner alone makes a larger one of it, and only under a lock.
template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity)
      : mask_(capacity - 1), slots_(std::make_unique<T*[]>(capacity)) {}

  std::int64_t capacity() const noexcept { return static_cast<std::int64_t>(mask_ + 1); }

  T*& operator[](std::int64_t index) noexcept {
    return slots_[static_cast<std::size_t>(index) & mask_];
  }

  /// One twice as large and empty; false in a condition if there is no memory for it.
  Ring twice_as_large() const noexcept {
    return Ring(new (std::nothrow) T*[2 * (mask_ + 1)], 2 * mask_ + 1);
  }
  explicit operator bool() const noexcept { return slots_ != nullptr; }

 private:
  Ring(T** slots, std::size_t mask) noexcept : mask_(mask), slots_(slots) {}

  std::size_t mask_;
  std::unique_ptr<T*[]> slots_;
};

/// What a Deque is made of.
struct DequeHardware : Hardware {
  using Barrier = AsymmetricBarrier;
  using Lock = SpinLock;
  template <class T>
  using Ring = detail::Ring<T>;
};

/// A split work-stealing deque of pointers. Its owner pushes and pops at the young end, without a
/// fence; anyone steals at the old end, under a lock that the owner takes only where it must.
///
///     old_           split_              young_
///      |    public     |     private       |
///
/// The public part belongs to whoever holds the lock, the private part to the owner. Work becomes
/// public in two ways: the owner moves split_ up when it is asked to (share()), or a thief that
/// asked in vain, since the owner is in a long computation, does so itself (seize()). After
/// the split deques of Lace (van Dijk and van de Pol, Euro-Par 2014) and the THE protocol (Frigo,
/// Leiserson and Randall, PLDI 1998), whose fence in pop() is asymmetric here.
///
/// *Nothing is taken twice.* Under the lock there is one taker at a time, so only pop() without the
/// lock against seize() is to be argued. pop() stores young_ = y, passes the light barrier (B1),
/// and takes y if it then reads split_ <= y. seize() stores split_ = t, passes the heavy barrier
/// (B2), reads young_, and keeps t only if young_ >= t. The barriers order every pop() entirely on
/// one side of seize()'s: either its read of split_ comes after B2 and yields t, so that it does
/// not take an element below t without the lock; or its store of young_ comes before B2, so that
/// seize() reads it or a later one. In the second case let y be the last young_ stored before B2.
/// If y >= t, nothing below t had been taken. If y < t but a later push raised young_ to t or more,
/// then every element from y on was pushed after B2, and pop() has respected t since then.
/// Otherwise seize() gives up. While it holds the lock nobody else looks at the public part.
/// tests/runtime/model runs this code on a Machine of its own, and checks the argument.
template <class T, class Machine = DequeHardware>
class Deque {
 public:
  using Pointer = typename Machine::template Pointer<T>;
  using Barrier = typename Machine::Barrier;

  Deque(std::size_t capacity, Barrier& barrier) : barrier_(barrier), ring_(capacity) {}

  /// Owner: adds at the young end, privately. Returns false, and adds nothing, if the ring is full
  /// and there is no memory for a larger one. Cost: two loads, two stores, no fence.
  bool push(Pointer element) noexcept {
    const Number young = young_.load(std::memory_order_relaxed);
    if (young >= known_until_ && !make_room()) [[unlikely]]
      return false;
    ring_[young] = element;
    // release: pairs with the acquire in seize(); the element and what it points to come first.
    young_.store(young + 1, std::memory_order_release);
    return true;
  }

  /// Owner: takes from the young end, nullptr if there is nothing.
  /// Cost while there is private work: two loads, one store, no fence (see AsymmetricBarrier).
  Pointer pop() noexcept {
    const Number young = young_.load(std::memory_order_relaxed) - 1;
    if (young < split_.load(std::memory_order_relaxed)) return pop_public(young);
    // release: seize() may read this value instead of a push's, and relies on the push before.
    young_.store(young, std::memory_order_release);
    barrier_.light();  // B1, pairs with B2 in seize()
    if (young < split_.load(std::memory_order_relaxed)) [[unlikely]]
      return pop_public(young);
    return ring_[young];
  }

  /// Owner: makes the older half of the private part public, at least one element. Returns whether
  /// there was any.
  bool share() noexcept {
    const Number young = young_.load(std::memory_order_relaxed);
    const std::lock_guard guard(lock_);
    const Number split = split_.load(std::memory_order_relaxed);
    if (young == split) return false;
    split_.store(split + half(young - split), std::memory_order_relaxed);
    return true;
  }

  /// Anyone: takes from the old end of the public part. nullptr if there is nothing, or if somebody
  /// else is at it.
  Pointer steal() noexcept {
    if (old_.load(std::memory_order_relaxed) >= split_.load(std::memory_order_relaxed) ||
        !lock_.try_lock()) {
      return nullptr;
    }
    const std::lock_guard guard(lock_, std::adopt_lock);
    return take_oldest();
  }

  /// Anyone but the owner: takes from the old end also what is private.
  /// Cost: a system call of some microseconds, if there is anything.
  Pointer seize() noexcept {
    if (empty() || !lock_.try_lock()) return nullptr;
    const std::lock_guard guard(lock_, std::adopt_lock);
    if (const Pointer element = take_oldest(); element != nullptr) return element;
    const Number split = split_.load(std::memory_order_relaxed);
    const Number length = young_.load(std::memory_order_relaxed) - split;
    if (length <= 0) return nullptr;
    const Number claimed = split + half(length);
    split_.store(claimed, std::memory_order_relaxed);
    barrier_.heavy();  // B2, pairs with B1 in pop()
    // acquire: pairs with the releases in push() and pop().
    if (young_.load(std::memory_order_acquire) < claimed) {
      split_.store(split, std::memory_order_relaxed);
      return nullptr;
    }
    return take_oldest();
  }

  /// Anyone: a hint, unless the caller has a full barrier in common with the last push (see Idle).
  bool empty() const noexcept {
    return old_.load(std::memory_order_acquire) >= young_.load(std::memory_order_acquire);
  }

  /// Anyone: how many elements there are, about. Cost: two loads.
  std::size_t size() const noexcept {
    // relaxed: a statistic; the two may be of different times.
    const Number young = young_.load(std::memory_order_relaxed);
    const Number old = old_.load(std::memory_order_relaxed);
    return young > old ? static_cast<std::size_t>(young - old) : 0;
  }

  /// Anyone: the most elements there have been at once.
  std::size_t longest() const noexcept {
    return static_cast<std::size_t>(longest_.load(std::memory_order_relaxed));
  }

 private:
  using Number = typename Machine::Number;
  using Lock = typename Machine::Lock;
  using AtomicNumber = typename Machine::template Atomic<Number>;

  static Number half(Number length) noexcept { return (length + 1) / 2; }

  /// Takes the oldest public element; the caller has the lock.
  Pointer take_oldest() noexcept {
    const Number old = old_.load(std::memory_order_relaxed);
    if (old >= split_.load(std::memory_order_relaxed)) return nullptr;
    const Pointer element = ring_[old];
    // release: pairs with the acquire in make_room(), which reuses the slot.
    old_.store(old + 1, std::memory_order_release);
    return element;
  }

  /// Owner: pops where the youngest element, `young`, was seen to be public. Takes back the younger
  /// half of the public part, so that the next pops are private again.
  [[gnu::noinline]] Pointer pop_public(Number young) noexcept {
    // Undoes the claim of pop(). Only takers raise old_, so what it says is still true later.
    young_.store(young + 1, std::memory_order_release);
    if (young < old_.load(std::memory_order_relaxed)) return nullptr;
    const std::lock_guard guard(lock_);
    const Number old = old_.load(std::memory_order_relaxed);
    if (young < old) return nullptr;
    // A thief may have given up in between, so that the element is private after all.
    if (young < split_.load(std::memory_order_relaxed)) {
      split_.store(old + (young + 1 - old) / 2, std::memory_order_relaxed);
    }
    young_.store(young, std::memory_order_release);
    return ring_[young];
  }

  /// For a push at an index where there has been none: learns what thieves have taken; if the ring
  /// is full indeed, moves to one twice as large, if there is memory.
  [[gnu::noinline]] bool make_room() noexcept {
    const Number young = young_.load(std::memory_order_relaxed);
    // acquire: pairs with the release in take_oldest().
    const Number length = young + 1 - old_.load(std::memory_order_acquire);
    if (length > ring_.capacity() && !double_capacity(young)) return false;
    // relaxed: a statistic that the owner alone writes.
    if (length > longest_.load(std::memory_order_relaxed)) {
      longest_.store(length, std::memory_order_relaxed);
    }
    known_until_ = young + 1;
    return true;
  }

  bool double_capacity(Number young) noexcept {
    auto larger = ring_.twice_as_large();
    if (!larger) return false;
    const std::lock_guard guard(lock_);
    const Number old = old_.load(std::memory_order_relaxed);
    for (Number i = old; i < young; ++i) {
      larger[i] = ring_[i];
    }
    ring_ = std::move(larger);
    return true;
  }

  static constexpr std::size_t kCacheLine = 64;

  // The owner's line; thieves read young_ only when they find nothing public, and the ring under
  // the lock only, under which alone it changes.
  alignas(kCacheLine) AtomicNumber young_{0};
  Barrier& barrier_;
  typename Machine::template Ring<T> ring_;
  /// Below it there is room, and longest_ counts it.
  typename Machine::template Plain<Number> known_until_{0};
  AtomicNumber longest_{0};

  // Changed under the lock only, but read by the owner at every pop.
  alignas(kCacheLine) AtomicNumber split_{0};
  AtomicNumber old_{0};
  Lock lock_;
};

}  // namespace kumiko::runtime::detail
