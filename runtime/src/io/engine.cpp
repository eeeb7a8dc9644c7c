#include "io/engine.hpp"

#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime::detail {

std::size_t calling_instance(const Scheduler& scheduler) noexcept {
  const Worker* const worker = current_worker();
  if (worker == nullptr || &worker->scheduler() != &scheduler) return 0;
  return static_cast<std::size_t>(worker->index());
}

bool note_unsubmitted(const Scheduler& scheduler) noexcept {
  Worker* const worker = current_worker();
  if (worker == nullptr || &worker->scheduler() != &scheduler) return false;
  worker->polling().note_unsubmitted();
  return true;
}

}  // namespace kumiko::runtime::detail
