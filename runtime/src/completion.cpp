#include "completion.hpp"

#include <utility>

#include <kumiko/runtime/detail/group_state.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

#include "scheduler.hpp"
#include "worker.hpp"

namespace kumiko::runtime::detail {

void keep_exception(Descriptor& self, std::exception_ptr exception) noexcept {
  if (self.group != nullptr) {
    self.group->exception.keep(std::move(exception));
  } else {
    self.exception = std::move(exception);
  }
}

void complete_attached(Descriptor& self, DescriptorCache& store) noexcept {
  if (self.group != nullptr) {
    store.give(&self);
  } else {
    // relaxed: the parent, who alone can reach the handle, goes on on this OS thread.
    self.join.store(join_word::kDone, std::memory_order_relaxed);
  }
}

Waiter* complete_left_behind(Descriptor& self, DescriptorCache& store) noexcept {
  if (GroupState* const group = self.group; group != nullptr) {
    store.give(&self);
    return group->counter.leave();
  }
  // release: pairs with the acquire of whoever joins; the thread's effects come before it.
  // acquire: pairs with the release by which a joiner or detach() got here first.
  const std::uintptr_t before = self.join.exchange(join_word::kDone, std::memory_order_acq_rel);
  if (before == join_word::kRunning) return nullptr;
  if (before != join_word::kDetached) return reinterpret_cast<Waiter*>(before);
  if (self.exception != nullptr) std::terminate();
  store.give(&self);
  return nullptr;
}

void release_descriptor(Descriptor& thread) noexcept {
  Worker* const worker = current_worker();
  if (worker != nullptr && &worker->scheduler() == thread.home) {
    worker->descriptors().give(&thread);
    return;
  }
  Batch<Descriptor> batch;
  batch.push(&thread);
  thread.home->descriptors().give(batch);
}

}  // namespace kumiko::runtime::detail
