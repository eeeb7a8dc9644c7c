#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kumiko::runtime::detail {

/// A work-stealing deque of pointers (Chase and Lev, SPAA 2005; orders after Le, Pop, Cohen and
/// Zappa Nardelli, PPoPP 2013). Its owner pushes and pops at the young end, anyone steals at the
/// old end.
///
/// Elements are those with old_ <= index < young_. Why none is taken twice: a thief takes index t
/// by raising old_ from t to t+1, which succeeds once. The owner takes index y = young_-1 without
/// that only if it read old_ < y after having stored young_ = y. Store and load, as well as a
/// thief's loads of old_ and then young_, are sequentially consistent. Suppose a thief takes y too:
/// it read old_ = y, and then young_ > y, so its loads come before the owner's store in the single
/// total order, and before the owner's load, which therefore reads old_ >= y: a contradiction. (The
/// published algorithm has fences there; ThreadSanitizer does not understand fences.)
///
/// When the ring is full the owner moves to one twice as large. Old rings are kept until the
/// destruction, since a thief may still read from one: what it reads there is right if its raise
/// of old_ succeeds, for then the owner cannot have reused that slot.
template <class T>
class Deque {
 public:
  explicit Deque(std::size_t capacity) {
    rings_.push_back(std::make_unique<Ring>(capacity));
    ring_.store(rings_.back().get(), std::memory_order_relaxed);
  }
  Deque(const Deque&) = delete;
  Deque& operator=(const Deque&) = delete;

  /// Owner: makes sure that the next push does not allocate. \throws std::bad_alloc
  void reserve_one() {
    const std::int64_t young = young_.load(std::memory_order_relaxed);
    // acquire: pairs with a thief's raise of old_, whose read of the slot precedes our reuse of it.
    const std::int64_t old = old_.load(std::memory_order_acquire);
    if (young - old >= owner_ring().capacity()) grow(old, young);
  }

  /// Owner: adds at the young end. Allocates if the ring is full, and terminates if that fails.
  /// Cost: two loads, two stores, no fence.
  void push(T* element) noexcept {
    reserve_one();
    const std::int64_t young = young_.load(std::memory_order_relaxed);
    owner_ring().put(young, element);
    // release: pairs with a thief's load of young_; the element and what it points to come first.
    young_.store(young + 1, std::memory_order_release);
  }

  /// Owner: takes from the young end, nullptr if there is nothing.
  /// Cost: one full fence (the store); two loads if there is nothing.
  T* pop() noexcept {
    const std::int64_t young = young_.load(std::memory_order_relaxed) - 1;
    // Only thieves raise old_, so a stale value errs on the side of going on.
    if (young < old_.load(std::memory_order_relaxed)) return nullptr;
    young_.store(young, std::memory_order_seq_cst);
    std::int64_t old = old_.load(std::memory_order_seq_cst);
    if (old < young) return owner_ring().get(young);
    T* last = nullptr;
    if (old == young && old_.compare_exchange_strong(old, old + 1, std::memory_order_seq_cst,
                                                     std::memory_order_relaxed)) {
      last = owner_ring().get(young);
    }
    // Nobody reads the slot through this: the deque is empty, young_ is old_ again.
    young_.store(young + 1, std::memory_order_relaxed);
    return last;
  }

  /// Anyone: takes from the old end. nullptr if there is nothing, or if somebody else was quicker.
  T* steal() noexcept {
    std::int64_t old = old_.load(std::memory_order_seq_cst);
    const std::int64_t young = young_.load(std::memory_order_seq_cst);
    if (old >= young) return nullptr;
    // acquire: pairs with the release in grow(); the copied slots come before the ring.
    T* const element = ring_.load(std::memory_order_acquire)->get(old);
    if (!old_.compare_exchange_strong(old, old + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return nullptr;
    }
    return element;
  }

  /// Anyone: whether there was nothing at some moment during the call.
  bool empty() const noexcept {
    const std::int64_t old = old_.load(std::memory_order_seq_cst);
    return old >= young_.load(std::memory_order_seq_cst);
  }

 private:
  class Ring {
   public:
    explicit Ring(std::size_t capacity)
        : mask_(capacity - 1), slots_(std::make_unique<std::atomic<T*>[]>(capacity)) {}

    std::int64_t capacity() const noexcept { return static_cast<std::int64_t>(mask_ + 1); }

    T* get(std::int64_t index) const noexcept {
      return slot(index).load(std::memory_order_relaxed);
    }

    void put(std::int64_t index, T* element) noexcept {
      slot(index).store(element, std::memory_order_relaxed);
    }

   private:
    std::atomic<T*>& slot(std::int64_t index) const noexcept {
      return slots_[static_cast<std::size_t>(index) & mask_];
    }

    const std::size_t mask_;
    const std::unique_ptr<std::atomic<T*>[]> slots_;
  };

  /// Only the owner writes ring_, so its own loads need no order.
  Ring& owner_ring() const noexcept { return *ring_.load(std::memory_order_relaxed); }

  void grow(std::int64_t old, std::int64_t young) {
    const Ring& from = owner_ring();
    auto to = std::make_unique<Ring>(2 * static_cast<std::size_t>(from.capacity()));
    for (std::int64_t i = old; i < young; ++i) to->put(i, from.get(i));
    rings_.push_back(std::move(to));
    // release: pairs with the acquire in steal().
    ring_.store(rings_.back().get(), std::memory_order_release);
  }

  static constexpr std::size_t kCacheLine = 64;

  // Thieves write old_; the owner writes young_ at every push and pop.
  alignas(kCacheLine) std::atomic<std::int64_t> old_{0};
  alignas(kCacheLine) std::atomic<std::int64_t> young_{0};
  std::atomic<Ring*> ring_{nullptr};
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace kumiko::runtime::detail
