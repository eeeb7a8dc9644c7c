#include <kumiko/runtime/detail/lazy.hpp>

#include "worker.hpp"

namespace kumiko::runtime::detail {

void answer_requests() noexcept { Worker::answer_requests(); }

void offer_thread(Descriptor* thread, void (*call)(void*), GroupState& group) noexcept {
  group.counter.leave_behind();
  thread->start_later(call);
  Worker& worker = *current_worker();
  worker.spawned().increment();
  worker.make_runnable_last(*thread);
}

}  // namespace kumiko::runtime::detail
