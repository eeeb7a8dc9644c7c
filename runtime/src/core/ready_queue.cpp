#include "core/ready_queue.hpp"

#include <mutex>

#include "core/aggregation.hpp"
#include "core/published_group.hpp"
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
  const Aggregation* const shown = near_->group();
  if (group != nullptr || shown != nullptr) [[unlikely]] {
    if (group != nullptr) clock_.end_turn(*group, worker_);
    bool goes_on = false;
    const bool follows = !publishes_ && shown != had_its_row_;
    Descriptor* const thread =
        pop_of_groups_or_oldest(group, follows ? shown : nullptr, streak, goes_on);
    publish(goes_on ? thread->aggregation : nullptr);
    clock_.begin_turn(thread);
    return thread;
  }
  streak.end();
  clock_.begin_turn(nullptr);
  return pop();
}

/// The oldest thread of the group here, if the bonus lets it overtake the oldest of all; the caller
/// has the lock, and the queue is not empty.
Descriptor* ReadyQueue::kin_within_bonus(const Aggregation* group) const noexcept {
  // relaxed: see Aggregation.
  if (group == nullptr || !group->on.load(std::memory_order_relaxed)) return nullptr;
  Descriptor* const kin = group->place(worker_).first;
  if (kin == nullptr) return nullptr;
  const int bonus = group->bonus.load(std::memory_order_relaxed);
  return Streak::allows(bonus, kin->ticket - first_->ticket) ? kin : nullptr;
}

/// \param goes_on  set where the group that ran goes on, and not the shown one
Descriptor* ReadyQueue::pop_of_groups_or_oldest(const Aggregation* ran, const Aggregation* shown,
                                                Streak& streak, bool& goes_on) noexcept {
  if (empty()) return nullptr;
  const std::lock_guard guard(lock_);
  Descriptor* thread = first_;
  if (thread == nullptr) return nullptr;
  Descriptor* const beside = kin_within_bonus(shown);
  Descriptor* const kin = beside != nullptr ? beside : kin_within_bonus(ran);
  if (kin != nullptr && streak.prefers(kin->aggregation->limit.load(std::memory_order_relaxed),
                                       kin->ticket - thread->ticket)) {
    goes_on = beside == nullptr;
    thread = kin;
  } else if (ran != nullptr && thread->aggregation == ran) {
    goes_on = kin != nullptr && beside == nullptr;
  } else {
    streak.end();
    had_its_row_ = kin != nullptr ? kin->aggregation : nullptr;
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

/// Shows neighbours a group if it may be shown, else nothing, unless one of them shows a group.
void ReadyQueue::publish(const Aggregation* group) noexcept {
  if (group != nullptr && !group->published.load(std::memory_order_relaxed)) group = nullptr;
  if (!publishes_) {
    publishes_ = group != nullptr && near_->offer(*group);
  } else if (near_->group() != group) {
    near_->replace(group);
    publishes_ = group != nullptr;
  }
}

void ReadyQueue::note_place(PublishedGroup& near) noexcept {
  if (&near == near_) return;
  publish(nullptr);
  near_ = &near;
}

/// Removes a thread that is the oldest of its group from the group's list; the caller has the lock.
void ReadyQueue::take_from_group(Descriptor& thread) noexcept {
  thread.aggregation->place(worker_).first = thread.next_of_group;
}

}  // namespace kumiko::runtime::detail
