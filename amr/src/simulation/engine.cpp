#include "simulation/engine.hpp"

#include <exception>
#include <utility>

#include <kumiko/amr/finite_check.hpp>

#include "sharing/trace_gather.hpp"
#include "simulation/point_values.hpp"

namespace kumiko::amr {

Simulation::Engine::Engine(const Case& problem, const Solver& solver, Backend& backend,
                           const SimulationOptions& options, Communicator& communicator)
    : run(problem, solver, backend, options, communicator), orders(communicator) {
  if (communicator.size() > 1) twin.emplace(*communicator.here(), *this);
}

bool Simulation::Engine::follow(const TakeRecords& take_records) {
  take = &take_records;
  return orders.follow();
}

void Simulation::Engine::end_others() noexcept {
  if (!twin || run.communicator.rank() != 0 || !orders.are_followed()) return;
  try {
    for (int rank = 1; rank < run.communicator.size(); ++rank) {
      twin->post(rank, [](Engine& there) { there.orders.end(); });
    }
  } catch (const std::exception&) {
    // A rank that is lost needs no order; the others learn of it as this one has.
  }
}

SavedShare Simulation::Engine::share_out(int extras) {
  SavedShare share = save_share(extras);
  if (run.communicator.rank() != 0 && *take) (*take)(std::move(share.records));
  return share;
}

std::vector<std::vector<double>> Simulation::Engine::value_at(Points points) {
  std::vector<std::vector<double>> values;
  run.backend.run([&] { values = point_values(run, points); });
  return values;
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
  if (!twin) return;
  run.backend.run([this] {
    amr::gather_trace(run.recorder(), run.stepper.shadows().mailbox(), run.communicator);
  });
}

}  // namespace kumiko::amr
