// Makes the parts of a run from a configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/run_options.hpp>
#include <kumiko/plugin/registry.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

/// The step outruns what the solver's ghosts serve.
class TooFewSteps : public RequestError {
 public:
  explicit TooFewSteps(const amr::CflError& error)
      : RequestError(io::with_keys(error.what())), smallest_(error.smallest_steps()) {}
  /// The number that amr::CflError::smallest_steps() gave.
  std::int64_t smallest() const { return smallest_; }

 private:
  std::int64_t smallest_;
};

/// A checked configuration and what it names.
struct Problem {
  io::ConfigSource source;  ///< that it was read from, for messages
  io::Config config;
  std::shared_ptr<const plugin::Registry> plugins;  ///< that it was made from
  std::unique_ptr<amr::Case> the_case;
  std::unique_ptr<amr::Solver> solver;
  std::filesystem::path case_file;    ///< of the plugin that the case is from
  std::filesystem::path solver_file;  ///< and the solver
  amr::SimulationOptions options;
  io::RunOptions run;
  int stop_step;    ///< the last base step, whatever names it; kNoStep where the end's time does
  int workers;      ///< the request's or the configuration's; 0 = all available
  int trace_from;   ///< base step at which a trace begins, -1 for none
  int trace_until;  ///< and at which it ends, at most stop_step
  /// Of a run's configuration: keys that its solver does not have any more, as "solver.x: 0.5".
  std::vector<std::string> forgotten;

  static constexpr int kNoStep = std::numeric_limits<int>::max();

  /// Whether a run of it has come to where it is to end.
  bool is_over(const amr::Simulation& simulation) const {
    return simulation.is_over() || simulation.step() >= stop_step;
  }
  /// Whether a run of it goes to the end of its case's time.
  bool goes_to_the_end() const {
    return stop_step == (options.steps > 0 ? options.steps : kNoStep) &&
           end_time() == the_case->end_time();
  }
  /// When a run ends.
  double end_time() const {
    return options.end_time > 0.0 ? options.end_time : the_case->end_time();
  }

  /// Points of the finest level in x, for messages.
  int finest_points_x() const { return options.points_x << (options.levels - 1); }
  /// Point updates that so many base steps take where the finest level's grid is everywhere.
  double uniform_updates(int steps) const;
};

/// The key that stands for --workers.
inline constexpr const char* kWorkersKey = "runtime.workers";

/// What a problem is made from.
struct ProblemRequest {
  std::filesystem::path config = {};
  std::vector<std::string> overrides = {};          ///< KEY=VALUE
  int workers = 0;                                  ///< 0 = as the configuration says
  std::shared_ptr<const plugin::Registry> plugins;  ///< where its solver and its case are found
  std::string solver = {};       ///< instead of the configuration's, where not empty
  std::string solver_from = {};  ///< what has named it, for messages
  /// Whether the configuration is a run's own. Its solver's keys may then be those of an earlier
  /// version of the plugin: what that does not know any more is left out.
  bool is_of_run = false;
};

/// What looked like plugins and was not taken for one, as it follows the message that a solver or a
/// case was not found: ". 'FILE' was skipped, since REASON"; empty without any.
std::string skipped_in_words(const plugin::Registry& plugins);

/// Reads and checks the request's configuration with its overrides, and then the changes. Throws
/// RequestError.
Problem load_problem(const ProblemRequest& request, const io::Changes& changes = {});

/// Checks the configuration of a checkpoint, read from `file`, and of its sidecar, with the
/// request's overrides. Throws RequestError.
Problem load_problem(const ProblemRequest& request, const std::filesystem::path& file,
                     const io::Checkpoint& checkpoint);

/// Throws RequestError, naming the keys, when a run would go on from a checkpoint with another
/// value of a key that no restart may change, or with another grid, as that of a case or a solver
/// whose plugin has changed. \return the other keys that the field's bits depend
/// on and that are changed, as io::Ancestor has them
std::string check_same_run(const Problem& problem, const std::filesystem::path& file,
                           const io::Checkpoint& checkpoint);

/// Throws RequestError, naming the keys, when a run would go on from the run in a folder with
/// another value of a key that the field's bits depend on.
/// \param changes  whether the restart changes keys: of the folder's run only those are then looked
///     at that no restart may change
void check_same_run(const Problem& problem, const std::filesystem::path& folder, bool changes);

/// " --plugin-path FILE" for each of the problem's plugins that does not come with Kumiko, as it
/// follows "--restart FILE" in a message; empty without one.
std::string plugin_options(const Problem& problem);

/// The run's folder: the check before work starts, and the folder itself. Both throw RequestError.
void check_output(const std::filesystem::path& path, io::Earlier earlier);
io::OutputFolder open_output(const std::filesystem::path& path, io::Earlier earlier);

/// Makes the backend. Throws RequestError, or std::runtime_error when the system refuses.
std::unique_ptr<amr::Backend> load_backend(const std::string& name, const Problem& problem);

/// Refuses what the environment asks of the Runtime that writes a run's files where the backend has
/// none: before anything is written. Throws RequestError, or std::runtime_error when the system
/// refuses.
void check_writing(const amr::Backend& backend);

/// Warns on stderr of keys that are set by earlier names, or twice on the command line; of a
/// problem, also of a solver that solves another equation than the one that the case is posed for.
void warn_of(const io::ConfigSource& source);
void warn_of(const Problem& problem);

/// Warns on stderr if a mesh of several levels takes more point updates than the finest level's
/// grid would take everywhere. \param fraction  the updates over those of that grid \param who "the
/// run makes"
void warn_above_uniform(const Problem& problem, double fraction, std::string_view who);

/// The case, the solver and the plugins that they are from.
std::string plugins_in_words(const Problem& problem);

/// Throws the exception that is being handled: where a solver or a case is to blame, with the file
/// that it is from.
[[noreturn]] void rethrow_naming_plugins(const Problem& problem);

/// Checks what make_simulation() checks before it builds anything. Throws RequestError.
void check_parts(const Problem& problem, int owners);

/// Builds the initial state, or that of a checkpoint; reports of faults name the problem's plugins
/// from then on. Throws TooFewSteps, with the remedy, when the
/// step outruns the ghosts, and RequestError when the checkpoint does not fit. All owners call it.
std::unique_ptr<amr::Simulation> make_simulation(const Problem& problem, amr::Backend& backend,
                                                 const io::Checkpoint* from = nullptr,
                                                 amr::Owner& owner = amr::sole_owner());

}  // namespace kumiko::app
