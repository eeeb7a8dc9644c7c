// The parts of a Simulation.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include <kumiko/amr/require.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/cluster/twin.hpp>

#include "simulation/orders.hpp"
#include "simulation/rebalancer.hpp"
#include "simulation/regridder.hpp"
#include "simulation/run.hpp"
#include "simulation/run_loop.hpp"
#include "simulation/run_saver.hpp"

namespace kumiko::amr {

/// A run and the objects that act on it. A member of Simulation that needs all ranks directs them:
/// rank 0 calls a function with each rank's Engine.
struct Simulation::Engine {
  using TakeRecords = std::function<void(SavedRecords&&)>;

  Engine(const Case& problem, const Solver& solver, Backend& backend,
         const SimulationOptions& options, Communicator& communicator);
  ~Engine() { orders.end(); }
  Engine(const Engine&) = delete;

  /// Has all ranks do their parts of rank 0's call: function(engine, arguments...). Returns this
  /// rank's result when all have done theirs. When one has thrown, all later calls throw the same,
  /// unless all ranks have gone back together: then the state can be saved.
  template <class F, class... Arguments>
  auto direct(F function, Arguments... arguments) {
    return twin ? direct_others(function, arguments...) : function(*this, arguments...);
  }
  /// As Simulation::follow().
  bool follow(const TakeRecords& take);
  /// Ends the others' follow(), if they still follow.
  void end_others() noexcept;

  SavedRun save_whole(int extras) { return saver.save_whole(regridder.plan(), extras); }
  SavedShare save_share(int extras) { return saver.save_share(regridder.plan(), extras); }

  FieldFigures field_figures() {
    return amr::field_figures(run.hierarchy, run.backend, run.communicator);
  }
  std::vector<std::vector<double>> value_at(Points points);
  std::vector<double> box_integrals(const Rectangle& box) {
    return amr::box_integrals(run.hierarchy, box, run.backend, run.communicator);
  }
  std::vector<Extremes> extremes() {
    return amr::extremes(run.hierarchy, run.backend, run.communicator);
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
  /// This rank's share; another rank than 0 hands its records on.
  SavedShare share_out(int extras);

  template <class F, class... Arguments>
  auto direct_others(F function, Arguments... arguments);

  Run run;
  Orders orders;
  Rebalancer rebalancer{run};
  Regridder regridder{run, rebalancer};
  RunSaver saver{run};
  RunLoop loop{run, regridder, rebalancer, orders};
  const TakeRecords* take = nullptr;  ///< during follow()
  int hook_every = 1;
  std::function<void(const Simulation&)> hook;  ///< of after_steps(); rank 0's
  std::optional<cluster::Twin<Engine>> twin;
};

template <class F, class... Arguments>
auto Simulation::Engine::direct_others(F function, Arguments... arguments) {
  using Result = decltype(function(*this, arguments...));
  ensure(run.communicator.rank() == 0, "rank {} is to follow rank 0", run.communicator.rank());
  orders.check_failure();
  const bool had_gone_back = orders.has_gone_back();
  std::vector<cluster::Future<void>> others;
  const auto wait_for_others = [&] {
    for (cluster::Future<void>& other : others) other.get();
  };
  try {
    const auto order = [](Engine& there, Arguments... with) {
      there.orders.execute([&] { F()(there, with...); });
    };
    others = twin->on_others(order, arguments...);
    if constexpr (std::is_void_v<Result>) {
      function(*this, arguments...);
      return wait_for_others();
    } else {
      Result result = function(*this, arguments...);
      wait_for_others();
      return result;
    }
  } catch (...) {
    orders.keep_failure(had_gone_back);
    // The others come back to follow(), too, and another order may come next.
    if (orders.has_gone_back()) {
      for (cluster::Future<void>& other : others) {
        if (other.valid()) other.wait();
      }
    }
    throw;
  }
}

}  // namespace kumiko::amr
