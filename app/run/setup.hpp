// A setup: a checked configuration with its case and its solver, ready to make a simulation of.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/run_options.hpp>
#include <kumiko/plugin/registry.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

/// A checked configuration, with the case and the solver that it names.
struct Setup {
  io::ConfigSource source;  ///< of the configuration, for messages
  io::Config config;
  std::shared_ptr<const plugin::Registry> plugins;  ///< that it was made from
  std::unique_ptr<amr::Case> the_case;
  std::unique_ptr<amr::Solver> solver;
  std::filesystem::path case_file;    ///< of the plugin that the case is from
  std::filesystem::path solver_file;  ///< and the solver
  amr::SimulationOptions options;
  io::RunOptions run;
  int stop_step;    ///< the last base step; kNoStep if the run ends at a time
  int workers;      ///< the request's or the configuration's; 0 = all available
  int trace_from;   ///< base step at which a trace begins, -1 for none
  int trace_until;  ///< and at which it ends, at most stop_step
  /// Keys of a run's configuration that its solver does not have any more, as "solver.x: 0.5".
  std::vector<std::string> forgotten;
  /// The state that the run has begun with in place of the case's initial field.
  std::optional<io::BegunFrom> begun_from = {};

  static constexpr int kNoStep = std::numeric_limits<int>::max();

  /// True if a run of it has come to its end.
  bool is_over(const amr::Simulation& simulation) const {
    return simulation.is_over() || simulation.step() >= stop_step;
  }
  /// True if a run of it covers the case's whole time.
  bool goes_to_the_end() const {
    return stop_step == (options.steps > 0 ? options.steps : kNoStep) &&
           end_time() == the_case->end_time();
  }
  /// The time at which a run ends.
  double end_time() const {
    return options.end_time > 0.0 ? options.end_time : the_case->end_time();
  }

  /// Points of the finest level in x, for messages.
  int finest_points_x() const { return options.points_x << (options.levels - 1); }
  /// The point updates of so many base steps on the finest level's grid everywhere.
  double uniform_updates(int steps) const { return uniform_updates(steps, options.levels); }
  double uniform_updates(int steps, int levels) const;
};

/// The key of --workers.
inline constexpr const char* kWorkersKey = "runtime.workers";

/// Names the configuration, the plugins and the overrides that a setup is loaded from.
struct SetupRequest {
  std::filesystem::path config = {};
  std::vector<std::string> overrides = {};          ///< KEY=VALUE
  int workers = 0;                                  ///< 0 = as the configuration says
  std::shared_ptr<const plugin::Registry> plugins;  ///< with its solver and its case
  std::string solver = {};       ///< instead of the configuration's, where not empty
  std::string solver_from = {};  ///< the option that names it, for messages
  /// True if the configuration is a run's own. Its solver's keys may be those of an earlier version
  /// of the plugin. Keys that the solver does not have any more are then left out.
  bool is_of_run = false;
};

/// The files that look like plugins and were skipped, to follow the message that a solver or a case
/// was not found: ". 'FILE' was skipped, since REASON"; empty without any.
std::string skipped_in_words(const plugin::Registry& plugins);

/// Reads and checks the request's configuration with its overrides. Throws RequestError.
Setup load_setup(const SetupRequest& request);

/// Checks the configuration of a checkpoint, read from `file`, and of its sidecar, with the
/// request's overrides. Throws RequestError.
Setup load_setup(const SetupRequest& request, const std::filesystem::path& file,
                 const io::Checkpoint& checkpoint);

/// Checks the configuration of a checkpoint, read from `file`, with other values in place of those
/// of its sidecar, and with the request's overrides. Throws RequestError.
Setup load_setup(const SetupRequest& request, const std::filesystem::path& file,
                 const io::Checkpoint& checkpoint, io::ValuesBeside beside);

}  // namespace kumiko::app
