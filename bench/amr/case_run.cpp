#include "case_run.hpp"

#include <stdexcept>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::bench {

namespace {

template <class Factory>
auto make(const Factory* factory, const Named& named) {
  if (factory == nullptr) throw std::runtime_error("there is no '" + named.name + "'");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  for (const auto& [name, value] : named.parameters) parameters.set(name, value);
  return factory->make(parameters);
}

amr::SimulationOptions options_of(const RunSpec& spec) {
  amr::SimulationOptions options;
  options.points_x = spec.points;
  options.points_y = spec.points;
  options.levels = spec.levels;
  options.steps = spec.steps;
  return options;
}

}  // namespace

CaseRun::CaseRun(const RunSpec& spec, const std::string& backend, int workers)
    : case_(make(plugin::find_case(spec.problem.name), spec.problem)),
      solver_(make(plugin::find_solver(spec.solver.name), spec.solver)),
      backend_(amr::make_backend(backend, workers)),
      simulation_(
          std::make_unique<amr::Simulation>(*case_, *solver_, *backend_, options_of(spec))) {}

double CaseRun::advance(int steps) {
  const std::uint64_t before = simulation_->counters().updates();
  simulation_->advance(steps);
  return static_cast<double>(simulation_->counters().updates() - before);
}

}  // namespace kumiko::bench
