#include "io/offload_pool.hpp"

#include <exception>

#include <pthread.h>

namespace kumiko::runtime::detail {

OffloadPool::~OffloadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& os_thread : os_threads_) os_thread.join();
}

bool OffloadPool::submit(Operation& operation) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_ >= idle_ && os_threads_.size() < most_threads_) add_thread();
    if (os_threads_.empty()) return false;
    operation.place.store(Operation::Place::kPool, std::memory_order_relaxed);
    queue_.append(operation);
    ++waiting_;
  }
  changed_.notify_one();
  return true;
}

bool OffloadPool::withdraw(Operation& operation) noexcept {
  const std::lock_guard lock(mutex_);
  // relaxed: written under the mutex too.
  if (operation.place.load(std::memory_order_relaxed) != Operation::Place::kPool) return false;
  operation.place.store(Operation::Place::kNowhere, std::memory_order_relaxed);
  queue_.remove(operation);
  --waiting_;
  return true;
}

/// If the system refuses, those that are there will do.
void OffloadPool::add_thread() noexcept {
  try {
    os_threads_.emplace_back([this] { work(); });
    pthread_setname_np(os_threads_.back().native_handle(), name_.c_str());
  } catch (const std::exception&) {
    return;
  }
}

void OffloadPool::work() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    Operation& operation = *queue_.front();
    queue_.remove(operation);
    --waiting_;
    operation.place.store(Operation::Place::kNowhere, std::memory_order_relaxed);
    lock.unlock();
    operation.complete(operation.execute());
    lock.lock();
  }
}

}  // namespace kumiko::runtime::detail
