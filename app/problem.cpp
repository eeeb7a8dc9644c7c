#include "problem.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/cases/registry.hpp>
#include <kumiko/solvers/registry.hpp>

namespace kumiko::app {

namespace {

/// Calls make() and turns what it throws about its input into a RequestError.
template <class Make>
auto as_request(Make make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw RequestError(error.what());
  } catch (const amr::CflError& error) {
    throw RequestError(error.what());
  } catch (const io::ConfigError& error) {
    throw RequestError(error.what());
  } catch (const io::OutputError& error) {
    throw RequestError(error.what());
  }
}

template <class Entries>
std::string names(const Entries& entries) {
  std::vector<std::string> list;
  for (const auto& entry : entries) list.push_back(entry.name);
  return fmt::format("{}", fmt::join(list, ", "));
}

/// What a key names, or the error that says where it was set and what it can be.
template <class Find, class Entries>
const auto& named(const io::ConfigSource& source, const char* key, Find find,
                  const Entries& entries) {
  const std::string& name = source.text(key);
  if (const auto* entry = find(name)) return *entry;
  throw source.error(key, fmt::format("'{}' is unknown; it can be: {}", name, names(entries)));
}

amr::SimulationOptions simulation_options(const amr::ParameterSet& keys) {
  amr::SimulationOptions options;
  const auto& base = keys.list("grid.base");
  options.points_x = static_cast<int>(base.front());
  options.points_y = static_cast<int>(base.back());
  options.levels = static_cast<int>(keys.integer("amr.levels"));
  options.steps = static_cast<int>(keys.integer("time.steps"));
  options.time_interpolation = keys.text("step.time_interpolation") == "linear"
                                   ? amr::TimeInterpolation::kLinear
                                   : amr::TimeInterpolation::kCharacteristic;
  options.refinement.threshold = keys.number("amr.threshold");
  options.refinement.delta = keys.number("amr.delta");
  options.refinement.floor = keys.number("amr.floor");
  options.refinement.buffer = static_cast<int>(keys.integer("amr.buffer"));
  options.refinement.interval = static_cast<int>(keys.integer("amr.interval"));
  return options;
}

runtime::IdlePolicy idle_policy(const std::string& name) {
  using runtime::IdlePolicy;
  static const std::map<std::string, IdlePolicy> policies = {{"adaptive", IdlePolicy::kAdaptive},
                                                             {"spin", IdlePolicy::kSpin},
                                                             {"spin_pause", IdlePolicy::kSpinPause},
                                                             {"yield", IdlePolicy::kYield},
                                                             {"sleep", IdlePolicy::kSleep}};
  return policies.at(name);
}

}  // namespace

Problem load_problem(const Request& request, const std::vector<std::string>& more_overrides) {
  return as_request([&] {
    std::vector<std::string> overrides = request.overrides;
    overrides.insert(overrides.end(), more_overrides.begin(), more_overrides.end());
    const io::ConfigSource source = io::read_config(request.config, overrides);
    const cases::CaseEntry& the_case =
        named(source, "case.name", cases::find_case, cases::case_entries());
    const solvers::SolverEntry& solver =
        named(source, "solver.name", solvers::find_solver, solvers::solver_entries());
    io::Schema schema;
    schema.add_case(the_case.parameters);
    schema.add_solver(solver.parameters);
    io::Config config = source.check(schema);
    const amr::SimulationOptions options = simulation_options(config.values());
    const int stop_step = static_cast<int>(config.values().integer("time.stop_step"));
    const int workers = request.workers > 0
                            ? request.workers
                            : static_cast<int>(config.values().integer("runtime.workers"));
    const int last_step = stop_step > 0 ? stop_step : options.steps;
    const auto trace_from = static_cast<int>(config.values().integer("trace.from"));
    const std::int64_t trace_until = trace_from + config.values().integer("trace.steps");
    return Problem{config,
                   the_case.make(config.case_parameters()),
                   solver.make(config.solver_parameters()),
                   options,
                   last_step,
                   workers,
                   idle_policy(config.values().text("runtime.idle")),
                   trace_from,
                   static_cast<int>(std::min<std::int64_t>(trace_until, last_step))};
  });
}

void prepare_summary(const std::filesystem::path& file) {
  if (file.empty()) return;
  as_request([&] { io::check_writable(file); });
  // Figures of an earlier run must not pass for this one's.
  std::filesystem::remove(file);
}

io::OutputFolder open_output(const std::filesystem::path& path, bool overwrite) {
  return as_request([&] { return io::OutputFolder(path, overwrite); });
}

void check_output(const std::filesystem::path& path, bool overwrite) {
  as_request([&] { io::OutputFolder::check(path, overwrite); });
}

std::unique_ptr<amr::Backend> load_backend(const std::string& name, const Problem& problem) {
  return as_request([&] { return amr::make_backend(name, problem.workers, problem.idle); });
}

std::unique_ptr<amr::Simulation> make_simulation(const Problem& problem, amr::Backend& backend) {
  return as_request([&] {
    return std::make_unique<amr::Simulation>(*problem.the_case, *problem.solver, backend,
                                             problem.options);
  });
}

}  // namespace kumiko::app
