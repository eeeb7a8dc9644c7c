#include "simulation/engine.hpp"

#include <kumiko/amr/finite_check.hpp>

#include "sharing/trace_gather.hpp"

namespace kumiko::amr {

bool Simulation::Engine::follow(const std::function<void(SavedRecords&&)>& take) {
  using Call = Order::Call;
  const Order order = orders.next();
  switch (order.call) {
    case Call::kEnd:
      return false;
    case Call::kAdvance:
      try {
        loop.advance(static_cast<int>(order.number), order.until);
      } catch (...) {
        orders.keep_failure();
      }
      break;
    case Call::kSave:
      save_whole(static_cast<int>(order.number));
      break;
    case Call::kSaveShare: {
      SavedRecords records = save_share(static_cast<int>(order.number)).records;
      if (take) take(std::move(records));
      run.communicator.all_gather({});
      break;
    }
    case Call::kFieldFigures:
      field_figures();
      break;
    case Call::kErrorNorms:
      error_norms();
      break;
    case Call::kStateHash:
      state_hash();
      break;
    case Call::kCheckFinite:
      check_finite();
      break;
    case Call::kMemoryUse:
      run.memory_use();
      break;
    case Call::kStartTrace:
      start_trace(static_cast<std::size_t>(order.number));
      break;
    case Call::kBringTraceTogether:
      gather_trace();
      break;
  }
  return true;
}

void Simulation::Engine::check_finite() {
  run.backend.run([this] {
    amr::check_finite(run.hierarchy, run.backend, run.steps.step(), run.communicator);
  });
}

void Simulation::Engine::start_trace(std::size_t most_bytes) {
  run.backend.run([this, most_bytes] { run.recorder().start(most_bytes); });
}

void Simulation::Engine::gather_trace() {
  if (run.communicator.size() == 1) return;
  run.backend.run([this] {
    amr::gather_trace(run.recorder(), run.stepper.shadows().mailbox(), run.communicator);
  });
}

}  // namespace kumiko::amr
