#include "uniform_run.hpp"

#include <kumiko/plugin/registry.hpp>

namespace kumiko::bench {

namespace {

/// As cases/zalesak/zalesak.toml has it.
std::unique_ptr<amr::Solver> first_order_solver() {
  const plugin::SolverFactory* const factory = plugin::find_solver("semi_lagrangian_cubic");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("departure", std::string("first_order"));
  return factory->make(parameters);
}

amr::SimulationOptions uniform_options(int points) {
  constexpr int kStepsPerPoint = 10;  // 2560 for 256
  amr::SimulationOptions options;
  options.points_x = points;
  options.points_y = points;
  options.levels = 1;
  options.steps = kStepsPerPoint * points;
  return options;
}

}  // namespace

UniformRun::UniformRun(int points, const std::string& backend)
    : case_(plugin::find_case("zalesak")->make({})),
      solver_(first_order_solver()),
      backend_(amr::make_backend(backend, 1)),
      simulation_(std::make_unique<amr::Simulation>(*case_, *solver_, *backend_,
                                                    uniform_options(points))) {}

double UniformRun::advance(int steps) {
  const std::uint64_t before = simulation_->counters().updates();
  simulation_->advance(steps);
  return static_cast<double>(simulation_->counters().updates() - before);
}

}  // namespace kumiko::bench
