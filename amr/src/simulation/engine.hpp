// The parts of a Simulation.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include <kumiko/amr/simulation.hpp>

#include "simulation/orders.hpp"
#include "simulation/rebalancer.hpp"
#include "simulation/regridder.hpp"
#include "simulation/run.hpp"
#include "simulation/run_loop.hpp"
#include "simulation/run_saver.hpp"

namespace kumiko::amr {

/// A run and the objects that act on it. A member of Simulation that needs all ranks directs them:
/// rank 0 calls a member here through Orders, and follow() calls the same one on the others.
struct Simulation::Engine {
  Engine(const Case& problem, const Solver& solver, Backend& backend,
         const SimulationOptions& options, Communicator& communicator)
      : run(problem, solver, backend, options, communicator), orders(communicator) {}

  /// As Simulation::follow().
  bool follow(const std::function<void(SavedRecords&&)>& take);

  SavedRun save_whole(int extras) { return saver.save_whole(regridder.plan(), extras); }
  SavedShare save_share(int extras) { return saver.save_share(regridder.plan(), extras); }

  FieldFigures field_figures() {
    return amr::field_figures(run.hierarchy, run.backend, run.communicator);
  }
  std::optional<ErrorNorms> error_norms() {
    return amr::error_norms(run.hierarchy, run.problem, run.steps.time(), run.backend,
                            run.communicator);
  }
  std::string state_hash() { return amr::state_hash(run.hierarchy, run.backend, run.communicator); }
  void check_finite();
  void start_trace(std::size_t most_bytes);
  /// Brings the pieces of all ranks' traces to rank 0.
  void gather_trace();

  Run run;
  Orders orders;
  Rebalancer rebalancer{run};
  Regridder regridder{run, rebalancer};
  RunSaver saver{run};
  RunLoop loop{run, regridder, rebalancer, orders};
};

}  // namespace kumiko::amr
