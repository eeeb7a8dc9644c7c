#include "core/thread_queue.hpp"

#include <mutex>

#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

void ThreadQueue::push(Descriptor* thread) noexcept {
  thread->next = nullptr;
  const std::lock_guard guard(lock_);
  if (first_ == nullptr) {
    first_ = thread;
  } else {
    last_->next = thread;
  }
  last_ = thread;
  // release: pairs with the acquire in empty(), though takers get the thread itself by the lock.
  size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

Descriptor* ThreadQueue::pop() noexcept {
  if (empty()) return nullptr;
  const std::lock_guard guard(lock_);
  Descriptor* const thread = first_;
  if (thread == nullptr) return nullptr;
  first_ = thread->next;
  size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  return thread;
}

}  // namespace kumiko::runtime::detail
