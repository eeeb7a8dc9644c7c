#include "io/engine.hpp"

#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime::detail {

std::size_t Engine::calling_instance() const noexcept {
  const Worker* const worker = current_worker();
  if (worker == nullptr || &worker->scheduler() != &scheduler_) return 0;
  return static_cast<std::size_t>(worker->index());
}

bool Engine::note_unsubmitted() const noexcept {
  Worker* const worker = current_worker();
  if (worker == nullptr || &worker->scheduler() != &scheduler_) return false;
  worker->polling().note_unsubmitted();
  return true;
}

}  // namespace kumiko::runtime::detail
