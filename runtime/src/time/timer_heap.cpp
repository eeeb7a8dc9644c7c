#include "time/timer_heap.hpp"

#include <mutex>
#include <new>

#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime::detail {

bool TimerHeap::add(Waiter& waiter, Deadline deadline) noexcept {
  const std::lock_guard guard(lock_);
  try {
    heap_.push_back(nullptr);
  } catch (const std::bad_alloc&) {
    return false;
  }
  waiter.deadline_ = deadline;
  place(&waiter, heap_.size() - 1);
  sift_up(heap_.size() - 1);
  return true;
}

void TimerHeap::remove(Waiter& waiter) noexcept {
  const std::lock_guard guard(lock_);
  if (waiter.place_in_heap_ != Waiter::kNowhere) remove_at(waiter.place_in_heap_);
}

Deadline TimerHeap::earliest() const noexcept {
  const std::lock_guard guard(lock_);
  return heap_.empty() ? Deadline::max() : heap_.front()->deadline_;
}

Descriptor* TimerHeap::expire_one(Deadline now) noexcept {
  const std::lock_guard guard(lock_);
  while (!heap_.empty() && heap_.front()->deadline_ <= now) {
    Waiter& waiter = *heap_.front();
    remove_at(0);
    // A waker that was quicker wakes it, and the waiter stays there until it has our lock.
    if (!waiter.claim()) continue;
    waiter.timed_out_ = true;
    return waiter.thread_;
  }
  return nullptr;
}

std::size_t TimerHeap::size() const noexcept {
  const std::lock_guard guard(lock_);
  return heap_.size();
}

void TimerHeap::place(Waiter* waiter, std::size_t index) noexcept {
  heap_[index] = waiter;
  waiter->place_in_heap_ = index;
}

void TimerHeap::sift_up(std::size_t index) noexcept {
  Waiter* const waiter = heap_[index];
  while (index > 0) {
    const std::size_t parent = (index - 1) / 2;
    if (heap_[parent]->deadline_ <= waiter->deadline_) break;
    place(heap_[parent], index);
    index = parent;
  }
  place(waiter, index);
}

void TimerHeap::sift_down(std::size_t index) noexcept {
  Waiter* const waiter = heap_[index];
  for (;;) {
    std::size_t child = 2 * index + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->deadline_ < heap_[child]->deadline_) ++child;
    if (waiter->deadline_ <= heap_[child]->deadline_) break;
    place(heap_[child], index);
    index = child;
  }
  place(waiter, index);
}

void TimerHeap::remove_at(std::size_t index) noexcept {
  heap_[index]->place_in_heap_ = Waiter::kNowhere;
  Waiter* const last = heap_.back();
  heap_.pop_back();
  if (index == heap_.size()) return;
  place(last, index);
  sift_up(index);
  sift_down(last->place_in_heap_);
}

}  // namespace kumiko::runtime::detail
