#include <stdexcept>
#include <string>

#include <kumiko/runtime/detail/lazy.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "core/aggregation.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime::detail {

void answer_requests() noexcept { Worker::answer_requests(); }

void offer_thread(Descriptor* thread, void (*call)(void*), GroupState& group) noexcept {
  group.counter.leave_behind();
  thread->start_later(call);
  Worker& worker = *current_worker();
  inherit_group(*thread, *worker.current());
  worker.spawned().increment();
  worker.make_runnable_last(*thread);
}

void check_worker_index(int worker) {
  const Worker* const here = current_worker();
  const auto count = here == nullptr ? 0 : static_cast<int>(here->scheduler().worker_count());
  if (worker < 0 || worker >= count) {
    throw std::out_of_range("TaskGroup::run_near: no worker " + std::to_string(worker) + " among " +
                            std::to_string(count));
  }
}

void offer_thread_to(int worker, Descriptor* thread, void (*call)(void*),
                     GroupState& group) noexcept {
  if (group.owner == running_thread()) {
    group.counter.leave_behind();
  } else {
    group.counter.add();
  }
  thread->start_later(call);
  Worker& here = *current_worker();
  inherit_group(*thread, *here.current());
  here.spawned().increment();
  here.make_runnable_at(here.scheduler().worker(static_cast<std::size_t>(worker)), *thread);
}

}  // namespace kumiko::runtime::detail
