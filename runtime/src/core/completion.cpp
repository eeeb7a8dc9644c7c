#include "core/completion.hpp"

#include <utility>

#include <kumiko/runtime/detail/group_state.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "diagnosis/report.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

void keep_exception(Descriptor& self, std::exception_ptr exception) noexcept {
  if (self.group != nullptr) {
    self.group->exception.keep(std::move(exception));
  } else {
    self.join_state->exception = std::move(exception);
  }
}

Waiter* complete_left_behind(Descriptor& self) noexcept {
  if (self.group != nullptr) return self.group->counter.leave();
  JoinState& join_state = *self.join_state;
  // release: pairs with the acquire of whoever joins; the thread's effects come before it.
  // acquire: pairs with the release by which a joiner or detach() got here first.
  const std::uintptr_t before =
      join_state.word.exchange(join_word::kDone, std::memory_order_acq_rel);
  if (before == join_word::kRunning) return nullptr;
  if (before != join_word::kDetached) return reinterpret_cast<Waiter*>(before);
  if (join_state.exception != nullptr) {
    terminate("an exception escaped a detached thread, " + describe(self) +
                  "; catch it there, or join() the thread",
              join_state.exception);
  }
  release(join_state);
  return nullptr;
}

void release(JoinState& join_state) noexcept {
  Worker* const worker = current_worker();
  if (worker != nullptr && &worker->scheduler() == join_state.home) {
    worker->join_states().give(&join_state);
    return;
  }
  Batch<JoinState> batch;
  batch.push(&join_state);
  join_state.home->join_states().give(batch);
}

Batch<JoinState> JoinStateSource::make() {
  auto slab = std::make_unique<JoinState[]>(tunables::kSlabSize);
  Batch<JoinState> states;
  for (std::size_t i = 0; i < tunables::kSlabSize; ++i) {
    slab[i].home = &home_;
    states.push(&slab[i]);
  }
  const std::lock_guard lock(mutex_);
  slabs_.push_back(std::move(slab));
  return states;
}

}  // namespace kumiko::runtime::detail
