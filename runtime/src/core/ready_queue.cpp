#include "core/ready_queue.hpp"

#include <mutex>

#include "core/aggregation.hpp"
#include "core/streak.hpp"
#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

namespace {

void append(Aggregation::Place& place, Descriptor& thread) noexcept {
  thread.next_of_group = nullptr;
  (place.first == nullptr ? place.first : place.last->next_of_group) = &thread;
  place.last = &thread;
}

}  // namespace

void ReadyQueue::push(Descriptor* thread) noexcept {
  thread->next = nullptr;
  const std::lock_guard guard(lock_);
  thread->ticket = ++tickets_;
  thread->previous = last_;
  if (first_ == nullptr) {
    first_ = thread;
  } else {
    last_->next = thread;
  }
  last_ = thread;
  if (thread->aggregation != nullptr) [[unlikely]]
    append(thread->aggregation->place(worker_), *thread);
  // release: pairs with the acquire in empty(), though takers get the thread itself by the lock.
  size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

Descriptor* ReadyQueue::pop() noexcept {
  if (empty()) return nullptr;
  const std::lock_guard guard(lock_);
  Descriptor* const oldest = first_;
  if (oldest == nullptr) return nullptr;
  first_ = oldest->next;
  if (oldest->aggregation != nullptr) [[unlikely]]
    take_from_group(*oldest);
  size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  return oldest;
}

Descriptor* ReadyQueue::pop_after(const Aggregation* group, Streak& streak) noexcept {
  if (group != nullptr) [[unlikely]] {
    clock_.end_turn(*group, worker_);
    Descriptor* const thread = pop_of_group_or_oldest(*group, streak);
    clock_.begin_turn(thread);
    return thread;
  }
  streak.end();
  clock_.begin_turn(nullptr);
  return pop();
}

Descriptor* ReadyQueue::pop_of_group_or_oldest(const Aggregation& group, Streak& streak) noexcept {
  if (empty()) return nullptr;
  const std::lock_guard guard(lock_);
  Descriptor* thread = first_;
  if (thread == nullptr) return nullptr;
  Descriptor* const kin = group.place(worker_).first;
  // relaxed: see Aggregation.
  if (kin != nullptr && group.on.load(std::memory_order_relaxed) &&
      streak.prefers(group.bonus.load(std::memory_order_relaxed),
                     group.limit.load(std::memory_order_relaxed), kin->ticket - thread->ticket)) {
    thread = kin;
  } else if (thread->aggregation != &group) {
    streak.end();
  }
  if (thread == first_) {
    first_ = thread->next;
  } else {
    thread->previous->next = thread->next;
    (thread->next == nullptr ? last_ : thread->next->previous) = thread->previous;
  }
  if (thread->aggregation != nullptr) take_from_group(*thread);
  size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  return thread;
}

/// Removes a thread that is the oldest of its group from the group's list; the caller has the lock.
void ReadyQueue::take_from_group(Descriptor& thread) noexcept {
  thread.aggregation->place(worker_).first = thread.next_of_group;
}

}  // namespace kumiko::runtime::detail
