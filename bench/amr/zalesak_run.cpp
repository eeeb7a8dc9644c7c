#include "zalesak_run.hpp"

#include <kumiko/plugin/registry.hpp>

namespace kumiko::bench {

namespace {

/// As cases/zalesak/zalesak.toml has it; the options below it are the engine's defaults.
std::unique_ptr<amr::Solver> first_order_solver() {
  const plugin::SolverFactory* const factory = plugin::find_solver("semi_lagrangian_cubic");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("departure", std::string("first_order"));
  return factory->make(parameters);
}

amr::SimulationOptions run_options(int points, int levels) {
  constexpr int kStepsPerPoint = 10;  // 2560 for 256
  amr::SimulationOptions options;
  options.points_x = points;
  options.points_y = points;
  options.levels = levels;
  options.steps = kStepsPerPoint * points;
  return options;
}

}  // namespace

ZalesakRun::ZalesakRun(int points, int levels, const std::string& backend)
    : case_(plugin::find_case("zalesak")->make({})),
      solver_(first_order_solver()),
      backend_(amr::make_backend(backend, 1)),
      simulation_(std::make_unique<amr::Simulation>(*case_, *solver_, *backend_,
                                                    run_options(points, levels))) {}

double ZalesakRun::advance(int steps) {
  const std::uint64_t before = simulation_->counters().updates();
  simulation_->advance(steps);
  return static_cast<double>(simulation_->counters().updates() - before);
}

}  // namespace kumiko::bench
