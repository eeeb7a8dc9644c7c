// kumiko compare: runs several solvers on one case at several resolutions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "experiments/comparison_report.hpp"
#include "options/commands.hpp"
#include "run/as_request.hpp"
#include "run/run_parts.hpp"
#include "run/setup_warnings.hpp"
#include "run/signals.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// The options of `kumiko compare`.
struct CompareRequest : CaseRequest, OutputRequest {
  std::vector<std::string> solvers;   ///< by name
  std::vector<std::string> variants;  ///< NAME[,KEY=VALUE]...
  std::vector<int> resolutions;       ///< points of level 0 in x; none: the file's
  std::string norm = "rms";           ///< of the error
  int repetitions = 1;                ///< of each run
  std::string backend = "threads";
};

/// Ascending, each once.
std::vector<int> sorted_resolutions(const CompareRequest& request, int points_of_file) {
  std::set<int> resolutions;
  for (const int points : request.resolutions) {
    refuse_if(!resolutions.insert(points).second, "--resolutions: {} is named twice", points);
  }
  if (resolutions.empty()) resolutions.insert(points_of_file);
  return {resolutions.begin(), resolutions.end()};
}

int points_y_of(int points, const amr::SimulationOptions& file) {
  const std::int64_t scaled = std::int64_t{points} * file.points_y;
  const std::int64_t points_y = scaled / file.points_x;
  const bool fits = points % amr::kPatchSize == 0 && scaled % file.points_x == 0 &&
                    points_y % amr::kPatchSize == 0;
  if (fits) return static_cast<int>(points_y);
  throw RequestError(
      "--resolutions {}: the points must be multiples of {} in x and, in the file's proportion of "
      "{} to {}, in y",
      points, amr::kPatchSize, file.points_x, file.points_y);
}

/// As many base steps as keep the CFL number, or one more.
int steps_in_proportion(int points, const amr::SimulationOptions& file) {
  const std::int64_t scaled = std::int64_t{file.steps} * points;
  constexpr std::int64_t kBeyondAnyRun = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(kBeyondAnyRun, (scaled + file.points_x - 1) / file.points_x));
}

/// The request of one contender's runs. Keys of its own replace the request's without a warning.
SetupRequest request_of(const SetupRequest& request, const Contender& contender) {
  SetupRequest own = request;
  own.solver = contender.solver;
  own.solver_from = contender.as_asked();
  std::erase_if(own.overrides,
                [&](const std::string& text) { return contender.sets(key_of(text)); });
  own.overrides.insert(own.overrides.end(), contender.overrides.begin(), contender.overrides.end());
  return own;
}

/// The changes that a run makes to its contender's configuration.
io::Changes changes_of(const Contender& contender, const ComparedRun& run, double stop_share) {
  io::Changes changes = {{"grid.base", std::vector<std::int64_t>{run.points, run.points_y}},
                         {"step.time_interpolation", contender.interpolation}};
  if (run.steps == 0) {
    changes.emplace_back("time.cfl", contender.cfl);
    return changes;
  }
  const auto stop = static_cast<int>(std::lround(stop_share * run.steps));
  changes.emplace_back("time.steps", std::int64_t{run.steps});
  changes.emplace_back("time.stop_step", std::int64_t{std::clamp(stop, 1, run.steps)});
  return changes;
}

/// A contender's setup: as in the file, and at each resolution.
class Plan {
 public:
  Plan(const SetupRequest& request, Contender& contender)
      : request_(request_of(request, contender)),
        contender_(contender),
        file_(load_setup(request_)) {
    const amr::SolverTraits& traits = file_.solver->traits();
    contender.cells = traits.centring == amr::Centring::kCell;
    contender.order = traits.order;
    contender.cfl_limit = traits.cfl_limit;
    contender.file_cfl = file_.options.cfl;
    contender.cfl = std::min(file_.options.cfl, traits.cfl_limit);
    refuse_if(file_.options.steps == 0 && !file_.goes_to_the_end(),
              "time.stop_step is {}, but runs that choose their steps by time.cfl stop at "
              "different times then; set time.end instead",
              file_.stop_step);
    contender.file_interpolation = amr::to_string(file_.options.time_interpolation);
    contender.interpolation = amr::to_string(interpolation());
  }

  const Setup& file() const { return file_; }

  ComparedRun run_at(int points) const {
    ComparedRun run;
    run.points = points;
    run.points_y = points_y_of(points, file_.options);
    run.finest_points = points << (file_.options.levels - 1);
    run.points_per_length =
        static_cast<int>(std::lround(run.finest_points / file_.the_case->extent().x));
    run.steps = run.steps_in_proportion = steps_in_proportion(points, file_.options);
    return run;
  }

  Setup setup_of(const ComparedRun& run) const {
    return load_setup(request_, changes_of(contender_, run, stop_share()));
  }

 private:
  double stop_share() const {
    return file_.options.steps == 0 ? 1.0
                                    : static_cast<double>(file_.stop_step) / file_.options.steps;
  }

  /// The contender's own, else the file's, unless that does not suit the solver.
  amr::TimeInterpolation interpolation() const {
    const amr::SimulationOptions& options = file_.options;
    const bool is_own = contender_.sets("step.time_interpolation");
    const bool suits = amr::is_possible(file_.solver->traits(), options.time_interpolation);
    if (is_own || suits || options.levels == 1) return options.time_interpolation;
    return amr::suited_time_interpolation(file_.solver->traits());
  }

  SetupRequest request_;
  Contender& contender_;
  Setup file_;
};

/// Gives a run the steps that a solver needs. \return false if it has them already
bool raise_steps(ComparedRun& run, std::int64_t steps) {
  constexpr std::int64_t kMostSteps = 1'000'000'000;
  if (steps <= run.steps || steps > kMostSteps) return false;
  run.steps = static_cast<int>(steps);
  return true;
}

/// Calls attempt() with as many steps as the solver needs. A later state may need more than the
/// first one.
template <class Attempt>
auto with_enough_steps(ComparedRun& run, Attempt attempt) {
  while (true) {
    try {
      return attempt();
    } catch (const TooFewSteps& error) {
      if (!raise_steps(run, error.smallest())) throw;
    } catch (const amr::CflError& error) {
      if (!raise_steps(run, error.smallest_steps())) throw;
    }
  }
}

/// Adds the published errors of a contender's case.
void add_published(const amr::Case& the_case, std::size_t contender,
                   std::vector<PublishedError>& all) {
  for (const amr::PublishedValue& value : the_case.published_values()) {
    if (value.norm.empty()) continue;
    auto place = std::ranges::find_if(all, [&](const PublishedError& one) {
      return one.value.name == value.name && one.value.norm == value.norm &&
             one.value.points == value.points && one.value.value == value.value;
    });
    if (place == all.end()) place = all.insert(place, {value, {}});
    place->contenders.insert(contender);
  }
}

/// Calls f. Errors name the contender.
template <class Function>
auto naming(const Contender& contender, Function f) {
  try {
    return f();
  } catch (const RequestError& error) {
    if (contender.option == "solver.name") throw;  // the file's own, and the only one
    const std::string name = contender.as_asked() + ": ";
    const std::string what = error.what();
    throw RequestError(what.starts_with(name) ? what : name + what);
  }
}

/// Reads the request and tries every run's first state, so that a wrong request is refused before
/// the first run. Throws RequestError.
Comparison plan_comparison(const CompareRequest& request) {
  if (!request.solvers.empty() || !request.variants.empty()) refuse_solver_keys(request.overrides);
  Comparison comparison;
  comparison.norm = request.norm;
  comparison.repetitions = request.repetitions;
  // Errors of the file itself name no contender.
  const Setup file = load_setup(request);
  const std::string base = file.source.override_of("grid.base");
  refuse_if(!request.resolutions.empty() && !base.empty(),
            "{} beside --resolutions changes what the file's time.steps and points in y are in "
            "proportion to; leave out one of them, or change grid.base in the file",
            base);
  for (const char* const key : {"time.steps", "time.stop_step"}) {
    const std::string steps = file.source.override_of(key);
    if (request.resolutions.empty() || steps.empty() || file.options.steps == 0) continue;
    print_to_stderr(
        "kumiko: note: {} is for grid.base {} in x, as in the file; other --resolutions take steps "
        "in proportion\n",
        steps, file.options.points_x);
  }
  comparison.contenders =
      parse_contenders(request.solvers, request.variants, file.config.values().text("solver.name"));
  for (const Contender& contender : comparison.contenders) {
    refuse_if(!request.resolutions.empty() && contender.sets("grid.base"),
              "{}: grid.base beside --resolutions, which set it; leave out one of them",
              contender.as_asked());
  }
  comparison.case_name = file.run.case_name;
  comparison.levels = file.options.levels;
  const std::vector<int> resolutions = sorted_resolutions(request, file.options.points_x);
  for (const int points : resolutions) points_y_of(points, file.options);
  for (std::size_t at = 0; at < comparison.contenders.size(); ++at) {
    Contender& contender = comparison.contenders[at];
    naming(contender, [&] {
      const Plan plan(request, contender);
      warn_of(plan.file());
      add_published(*plan.file().the_case, at, comparison.published);
      for (const int points : resolutions) {
        ComparedRun run = plan.run_at(points);
        run.contender = at;
        // Builds the first state.
        with_enough_steps(run, [&] {
          const Setup setup = plan.setup_of(run);
          make_simulation(setup, *load_backend(request.backend, setup));
        });
        comparison.runs.push_back(std::move(run));
      }
    });
  }
  return comparison;
}

/// Makes the planned runs. A run that fails leaves its reason, and the comparison continues. Calls
/// `after` after each. Throws the exception of execute() when a signal ends it.
void run_comparison(const CompareRequest& request, Comparison& comparison,
                    const std::function<void()>& after) {
  // All runs once, then all again, so that a slow minute of the machine affects all solvers.
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    for (ComparedRun& run : comparison.runs) {
      if (!run.failure.empty()) continue;
      Contender& contender = comparison.contenders[run.contender];
      try {
        const Plan plan(request, contender);
        io::RunSummary summary = with_enough_steps(run, [&] {
          return measure(request, plan.setup_of(run), request.backend,
                         fmt::format("{} at {}", contender.label, run.points));
        });
        if (run.add(summary.wall_s)) run.summary = std::move(summary);
      } catch (const std::exception& error) {
        if (end_requested()) throw;
        run.failure = io::with_keys(error.what());
      }
      after();
    }
  }
  comparison.complete = true;
}

int compare(CompareRequest& request) {
  refuse_quiet_for_nothing(request, request.output, "comparison", kSweepFilesRemedy);
  prepare_to_step(request);
  check_sweep_files(request.output, kComparisonFiles, request.overwrite, "comparison");
  warn_of_files(request.overrides, "comparison");
  Comparison comparison = plan_comparison(request);
  prepare_summary(request.summary);
  heed_signals(false);
  // From the first run on, the files hold what is done so far. A comparison that does not get there
  // leaves an earlier one's files.
  const auto write = [&] {
    write_sweep_files(request.output, kComparisonFiles, comparison, while_running(request.summary));
  };
  std::string ended;
  try {
    run_comparison(request, comparison, write);
  } catch (const std::exception& error) {
    const bool is_any_measured =
        std::ranges::any_of(comparison.runs, [](const auto& run) { return run.is_measured(); });
    if (!end_requested() || !is_any_measured) throw;
    ended = error.what();
  }
  write_sweep_files(request.output, kComparisonFiles, comparison, request.summary);
  if (!request.quiet) print_found(request.output, request.summary, plain_report(comparison));
  const std::vector<std::string> failures = failures_of(comparison);
  if (request.quiet) {
    for (const std::string& failure : failures) print_warning("{}", failure);
  }
  if (!ended.empty()) throw std::runtime_error(ended);
  if (failures.empty()) return kDone;
  std::fflush(stdout);
  throw std::runtime_error(fmt::format("{} of {} runs failed; see the {}", failures.size(),
                                       comparison.runs.size(),
                                       request.quiet ? "warnings" : "lines below the table"));
}

void add_contenders(Options& options, CompareRequest& request) {
  options.add("--solvers", &request.solvers,
              "A,B,C: solvers to compare, by name (default: the file's)", {.lists = true});
  options.add("--solver", &request.variants,
              "NAME[,KEY=VALUE]...: one more, with keys of [solver] or, written in full such as "
              "amr.levels=1 or case.sigma=0.1, any others of its own. Several variants of one "
              "solver, told apart by their keys, are a sweep: --solver A,amr.buffer=2 --solver "
              "A,amr.buffer=4. The file's [solver] applies to the solver that it names. The option",
              {.repeats = true});
}

}  // namespace

Action compare_command(Options& options) {
  const auto request = std::make_shared<CompareRequest>();
  std::vector<std::string> names;
  for (const Norm& norm : kNorms) names.emplace_back(norm.name);
  add_case(options, *request);
  add_contenders(options, *request);
  options.add("--resolutions", &request->resolutions,
              "N1,N2,...: points of level 0 in x; y and time.steps, if it is given, follow in "
              "proportion, and the "
              "amr.thresholds by amr.threshold_order (default: the file's)",
              {.lists = true, .check = between(16, 65536)});
  options.add("--norm", &request->norm, "of the error, for orders and the plot",
              {.check = one_of(names)});
  add_repetitions(options, request->repetitions, "runs of each, for the wall time");
  add_backend(options, request->backend);
  add_output(options, *request,
             "folder for compare.csv, .json, .md and work_precision.svg (default: none)",
             "replace an earlier comparison's files");
  return [request] { return compare(*request); };
}

}  // namespace kumiko::app
