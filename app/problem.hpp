// From a configuration to the parts of a run.
#pragma once

#include <memory>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/config.hpp>

#include "request.hpp"

namespace kumiko::app {

/// A checked configuration and what it names.
struct Problem {
  io::Config config;
  std::unique_ptr<amr::Case> the_case;
  std::unique_ptr<amr::Solver> solver;
  amr::SimulationOptions options;
  int stop_step;
  int workers;  ///< 0 = all available

  /// Points of the finest level in x, for messages.
  int finest_points_x() const { return options.points_x << (options.levels - 1); }
};

/// Reads and checks the request's configuration with its overrides. `more_overrides` are applied
/// last. Throws RequestError.
Problem load_problem(const Request& request, const std::vector<std::string>& more_overrides = {});

/// Makes the backend. Throws RequestError.
std::unique_ptr<amr::Backend> load_backend(const std::string& name, int workers);

/// Builds the initial state. Throws RequestError, with the remedy, when the step outruns the
/// ghosts.
std::unique_ptr<amr::Simulation> make_simulation(const Problem& problem, amr::Backend& backend);

}  // namespace kumiko::app
