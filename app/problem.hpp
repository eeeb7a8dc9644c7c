// From a configuration to the parts of a run.
#pragma once

#include <memory>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/output_folder.hpp>

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
  runtime::IdlePolicy idle;

  int trace_from;   ///< base step at which a trace begins, -1 for none
  int trace_until;  ///< and at which it ends, at most stop_step

  /// Points of the finest level in x, for messages.
  int finest_points_x() const { return options.points_x << (options.levels - 1); }
};

/// Reads and checks the request's configuration with its overrides. `more_overrides` are applied
/// last. Throws RequestError.
Problem load_problem(const Request& request, const std::vector<std::string>& more_overrides = {});

/// Tells whether a summary can be written, and removes the one of an earlier run. Nothing to do for
/// an empty path. Throws RequestError.
void prepare_summary(const std::filesystem::path& file);

/// The run's folder: the check before work starts, and the folder itself. Both throw RequestError.
void check_output(const std::filesystem::path& path, bool overwrite);
io::OutputFolder open_output(const std::filesystem::path& path, bool overwrite);

/// Makes the backend. Throws RequestError, or std::runtime_error when the system refuses.
std::unique_ptr<amr::Backend> load_backend(const std::string& name, const Problem& problem);

/// Builds the initial state. Throws RequestError, with the remedy, when the step outruns the
/// ghosts.
std::unique_ptr<amr::Simulation> make_simulation(const Problem& problem, amr::Backend& backend);

}  // namespace kumiko::app
