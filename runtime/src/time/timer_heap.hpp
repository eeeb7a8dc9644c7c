// The deadlines of one worker's timed waits, as a binary heap.
#pragma once

#include <cstddef>
#include <vector>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::runtime::detail {

class Waiter;
struct Descriptor;

/// The deadlines of the timed waits that began on one worker: a binary heap, the earliest on top.
/// Its lock is held for O(log n) steps.
class TimerHeap {
 public:
  /// Adds a waiter. Returns false, and adds nothing, without memory.
  bool add(Waiter& waiter, Deadline deadline) noexcept;

  /// Removes a waiter if its deadline has not passed yet.
  void remove(Waiter& waiter) noexcept;

  /// The earliest deadline; Deadline::max() if there is none.
  Deadline earliest() const noexcept;

  /// Removes a waiter whose deadline is not after `now` and ends its wait, unless somebody else has
  /// claimed it. Returns its thread, which the caller makes runnable, or nullptr if there is none.
  Descriptor* expire_one(Deadline now) noexcept;

  /// The number of waiters.
  std::size_t size() const noexcept;

 private:
  void place(Waiter* waiter, std::size_t index) noexcept;
  void sift_up(std::size_t index) noexcept;
  void sift_down(std::size_t index) noexcept;
  void remove_at(std::size_t index) noexcept;

  mutable SpinLock lock_;
  std::vector<Waiter*> heap_;
};

}  // namespace kumiko::runtime::detail
