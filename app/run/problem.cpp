#include "run/problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/amr/flow_check.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/runtime/fault.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "terminal/counted.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// Calls make() and turns what it throws about its input into a RequestError.
template <class Make>
auto as_request(Make make) {
  try {
    return refusing<io::ConfigError, io::OutputError>(make);
  } catch (const std::invalid_argument& error) {
    throw RequestError(io::with_keys(error.what()));
  } catch (const amr::CflError& error) {
    throw TooFewSteps(error);
  }
}

template <class Factories>
std::vector<std::string> names(const Factories& factories) {
  std::vector<std::string> list;
  for (const auto& factory : factories) list.push_back(factory.name);
  return list;
}

/// What a key names, or the error that says where it was set and what it can be.
/// \param kind  "case" or "solver", whose name the key `kind`.name gives
template <class Factories>
const auto& named(const io::ConfigSource& source, const char* kind, const Factories& factories,
                  const plugin::Registry& plugins) {
  const std::string key = fmt::format("{}.name", kind);
  const std::string& name = source.text(key);
  if (const auto* factory = amr::find_factory(factories, name)) return *factory;
  const std::vector<std::string> known = names(factories);
  throw source.error(
      key, fmt::format("there is no {} '{}'; choose among {}, or add the folder of its plugin to "
                       "--plugin-path or KUMIKO_PLUGIN_PATH{}{}",
                       kind, name, fmt::join(known, ", "), io::did_you_mean(name, known),
                       skipped_in_words(plugins)));
}

/// A solver's configuration with what "auto" stands for: a restart must not choose anew.
io::Config chosen(const io::Config& config, const amr::SolverTraits& traits) {
  constexpr const char* kKey = "step.time_interpolation";
  if (config.values().text(kKey) != "auto") return config;
  return config.with(kKey, amr::to_string(amr::suited_time_interpolation(traits)));
}

void require_available(const io::ConfigSource& source, io::Compression compression) {
  if (io::is_available(compression)) return;
  throw source.error(amr::OptionError("output.compression", "deflate",
                                      "the HDF5 library has no deflate filter; set it to none"));
}

/// Refuses base steps that are to end at given times where that cannot be.
void require_exact(const io::ConfigSource& source, const amr::SimulationOptions& options,
                   const io::RunOptions& run) {
  constexpr const char* kKey = "output.exact";
  if (run.times_of_output().empty()) {
    throw source.error(kKey,
                       "'output.exact' needs times that base steps are to end at; give "
                       "output.interval or output.times");
  }
  if (options.steps > 0) {
    throw source.error(kKey, fmt::format("'output.exact' needs steps that the run chooses; give "
                                         "time.cfl instead of time.steps, which is {}",
                                         options.steps));
  }
}

/// What the factory declares goes into the schema; what the others do is noted.
template <class Factory>
void declare(io::Schema& schema, const char* kind, const Factory& chosen,
             const std::vector<Factory>& all) {
  try {
    schema.add(kind, chosen.parameters);
  } catch (const std::invalid_argument& error) {
    throw RequestError("'{}': {}", chosen.file.string(), error.what());
  }
  for (const Factory& other : all) {
    if (&other == &chosen) continue;
    schema.note_other(kind, other.parameters, fmt::format("{} '{}'", kind, other.name));
  }
}

io::Schema schema_of(const plugin::Registry& plugins, const plugin::CaseFactory& the_case,
                     const plugin::SolverFactory& solver) {
  io::Schema schema;
  declare(schema, "case", the_case, plugins.cases());
  declare(schema, "solver", solver, plugins.solvers());
  return schema;
}

/// Leaves out what the solver does not know any more. No restart changes the case, so what that
/// does not know is refused.
/// \return what was left out
std::vector<std::string> forget_unknown(io::ConfigSource& source, const io::Schema& schema,
                                        const plugin::CaseFactory& the_case) {
  std::vector<std::string> of_case;
  std::vector<std::string> of_solver;
  source =
      source.without_unknown(schema, "case", of_case).without_unknown(schema, "solver", of_solver);
  refuse_if(!of_case.empty(),
            "case '{}' of '{}' has no keys any more that the run has, {}: its plugin has changed; "
            "restart with the one that the run began with, or begin a new run",
            the_case.name, the_case.file.string(), fmt::join(of_case, ", "));
  return of_solver;
}

Problem make_problem(io::ConfigSource source, int workers,
                     std::shared_ptr<const plugin::Registry> plugins, bool is_of_run) {
  const plugin::CaseFactory& the_case = named(source, "case", plugins->cases(), *plugins);
  const plugin::SolverFactory& solver = named(source, "solver", plugins->solvers(), *plugins);
  const io::Schema schema = schema_of(*plugins, the_case, solver);
  std::vector<std::string> forgotten;
  if (is_of_run) forgotten = forget_unknown(source, schema, the_case);
  const io::Config as_asked = source.check(schema);
  std::unique_ptr<amr::Case> made_case = the_case.make(as_asked.case_parameters());
  std::unique_ptr<amr::Solver> made_solver = solver.make(as_asked.solver_parameters());
  const io::Config config = chosen(as_asked, made_solver->traits());
  auto options = io::read<amr::SimulationOptions>(config.values());
  const auto run = io::read<io::RunOptions>(config.values());
  if (run.output_exact) {
    require_exact(source, options, run);
    options.exact_times = run.times_of_output();
  }
  require_available(source, run.compression);
  if (const std::string given = source.override_of(kWorkersKey); !given.empty()) {
    refuse_if(workers != 0 && workers != run.workers,
              "--workers {} and {} give different numbers of workers; give one of the two", workers,
              given);
  }
  const int last_of_all = options.steps > 0 ? options.steps : Problem::kNoStep;
  const int last_step = run.stop_step > 0 ? run.stop_step : last_of_all;
  const std::int64_t trace_until = std::int64_t{run.trace_from} + run.trace_steps;
  return Problem{std::move(source),
                 config,
                 std::move(plugins),
                 std::move(made_case),
                 std::move(made_solver),
                 the_case.file,
                 solver.file,
                 options,
                 run,
                 last_step,
                 workers > 0 ? workers : run.workers,
                 run.trace_from,
                 static_cast<int>(std::min<std::int64_t>(trace_until, last_step)),
                 std::move(forgotten)};
}

/// Which keys of two configurations differ, each with both values.
struct Differences {
  std::vector<std::string> refused;  ///< no restart may change them
  std::vector<std::string> course;   ///< a restart may: the lineage tells
};

Differences differences(const Problem& problem, const io::Config& of_earlier) {
  const io::Config& of_asked = problem.config;
  const amr::ParameterSet& asked = of_asked.values();
  const amr::ParameterSet& was = of_earlier.values();
  const bool chooses_anew = asked.at("time.cfl") != was.at("time.cfl");
  // What time.cfl has set is told with it.
  const auto follows = [&](const std::string& name) {
    return chooses_anew && (name == "time.steps" || name == "amr.interval") &&
           problem.source.written(name).empty();
  };
  const io::Schema core;
  Differences found;
  const auto value_in = [](const amr::ParameterSet& set, const std::string& name) {
    return set.contains(name) ? io::value_text(set.at(name)) : std::string("none");
  };
  const auto note = [&](const std::string& name) {
    const io::Key* const key = core.find(name);
    if (of_asked.is_of_run(name) && of_earlier.is_of_run(name)) return;
    if (follows(name)) return;
    const std::string before = value_in(was, name);
    const std::string now = value_in(asked, name);
    // Regions and the parameters of the solver and the case have no fixed keys.
    const bool changes_course =
        key != nullptr ? key->determines != amr::Determines::kState : !name.starts_with("case.");
    if (changes_course) {
      found.course.push_back(fmt::format("{}: {} -> {}", name, before, now));
    } else {
      found.refused.push_back(fmt::format("{} was {} and is now {}", name, before, now));
    }
  };
  for (const auto& [name, value] : asked.values()) {
    if (!was.contains(name) || was.at(name) != value) note(name);
  }
  for (const auto& [name, value] : was.values()) {
    if (!asked.contains(name)) note(name);
  }
  return found;
}

/// Of the configuration in a checkpoint, with the values of other keys that are given.
Problem load_problem(const ProblemRequest& request, const std::filesystem::path& file,
                     const io::Checkpoint& checkpoint, const io::ValuesBeside& beside) {
  return as_request([&] {
    return make_problem(io::parse_config(checkpoint.attributes.configuration, file.string(),
                                         request.overrides, beside),
                        request.workers, request.plugins, true);
  });
}

/// The keys that a restart may change: whole tables as "TABLE.*".
std::vector<std::string> changeable_keys() {
  std::map<std::string_view, std::vector<std::string>> by_table;
  std::set<std::string_view> mixed;
  const io::Schema core;
  for (const io::Key& key : core.keys()) {
    if (key.changeable() || key.changes_course()) {
      by_table[key.table()].push_back(key.spec.name);
    } else {
      mixed.insert(key.table());
    }
  }
  std::vector<std::string> all;
  for (const auto& [table, keys] : by_table) {
    if (mixed.contains(table)) {
      all.insert(all.end(), keys.begin(), keys.end());
    } else {
      all.push_back(fmt::format("{}.*", table));
    }
  }
  return all;
}

/// \return the keys that are changed all the same, as io::Ancestor has them
std::string refuse_differences(const Problem& problem, const Problem& earlier,
                               const std::string& of) {
  const Differences found = differences(problem, earlier.config);
  if (found.refused.empty()) return fmt::format("{}", fmt::join(found.course, "; "));
  throw RequestError(
      "{} was made with other values: {}; restore these values, or begin a new run. A restart may "
      "change {}, and the solver's parameters",
      of, fmt::join(found.refused, ", "), fmt::join(changeable_keys(), ", "));
}

/// Refuses a file whose values are not where those of the problem are. Its keys are the same, so
/// that a plugin must have changed.
void refuse_other_grid(const Problem& problem, const std::filesystem::path& file,
                       const io::Checkpoint& checkpoint) {
  if (!checkpoint.geometry) return;
  constexpr const char* kRemedy =
      "its plugin has changed; restart with the one that the run began with, or begin a new run";
  constexpr double kRounded = 1e-9;
  const auto are_near = [](double a, double b) { return std::abs(a - b) <= kRounded * b; };
  const amr::Extent was = checkpoint.geometry->extent();
  const amr::Extent is = problem.the_case->extent();
  const std::string of_case =
      fmt::format("case '{}' of '{}'", problem.run.case_name, problem.case_file.string());
  refuse_if(!are_near(was.x, is.x) || !are_near(was.y, is.y),
            "'{}' is of a domain of {:g} by {:g}, but that of {} is {:g} by {:g}: {}",
            file.string(), was.x, was.y, of_case, is.x, is.y, kRemedy);
  const auto components = static_cast<int>(checkpoint.field_names().size());
  refuse_if(components != problem.the_case->components(),
            "'{}' has {} of the field, but {} has {}: {}", file.string(),
            counted(components, "component"), of_case, problem.the_case->components(), kRemedy);
  const amr::Centring centring = problem.solver->traits().centring;
  refuse_if(checkpoint.geometry->centring() != centring,
            "'{}' has values of {}, but solver '{}' of '{}' has values of {}: {}", file.string(),
            checkpoint.geometry->centring() == amr::Centring::kCell ? "cells" : "nodes",
            problem.run.solver_name, problem.solver_file.string(),
            centring == amr::Centring::kCell ? "cells" : "nodes", kRemedy);
}

/// The words for an error, with the plugins that it can be from.
std::string in_words(const std::exception& error, const Problem& problem) {
  return fmt::format("{} ({})", io::with_keys(error.what()), plugins_in_words(problem));
}
std::string in_words(const amr::DeclarationError& error, const Problem& problem) {
  return fmt::format("'{}': {}", problem.solver_file.string(), error.what());
}

/// Calls make(); what it throws names the key's place, or the plugin to blame.
template <class Make>
auto blaming(const Problem& problem, Make make) {
  return as_request([&] {
    try {
      return make();
    } catch (const amr::OptionError& error) {
      throw problem.source.error(error);
    } catch (const amr::DeclarationError& error) {
      throw RequestError("{}", in_words(error, problem));
    } catch (const std::invalid_argument& error) {
      // Of the case, the solver, or that they do not fit each other.
      throw RequestError("{}", in_words(error, problem));
    } catch (const amr::BrokenValueError& error) {
      throw std::runtime_error(in_words(error, problem));
    }
  });
}

}  // namespace

std::string skipped_in_words(const plugin::Registry& plugins) {
  constexpr std::size_t kMost = 3;  // a folder of the system's libraries has hundreds
  std::string words;
  const std::span<const plugin::SkippedFile> all = plugins.skipped();
  for (const plugin::SkippedFile& file : all.first(std::min(all.size(), kMost))) {
    words += fmt::format(". '{}' was skipped, since {}", file.file.string(), file.reason);
  }
  return words;
}

double Problem::uniform_updates(int steps) const {
  const double per_level = options.subcycling ? 8.0 : 4.0;
  return std::pow(per_level, options.levels - 1) * options.points_x * options.points_y * steps;
}

Problem load_problem(const ProblemRequest& request, const io::Changes& changes) {
  return as_request([&] {
    io::ConfigSource source = io::read_config(request.config, request.overrides);
    if (!request.solver.empty()) {
      source = source.with_solver(request.solver, request.solver_from);
    }
    return make_problem(source.with(changes), request.workers, request.plugins, request.is_of_run);
  });
}

Problem load_problem(const ProblemRequest& request, const std::filesystem::path& file,
                     const io::Checkpoint& checkpoint) {
  io::ValuesBeside beside;
  if (checkpoint.sidecar) {
    beside = {io::sidecar_of(file).string(), checkpoint.sidecar->configuration};
  }
  return load_problem(request, file, checkpoint, beside);
}

std::string check_same_run(const Problem& problem, const std::filesystem::path& file,
                           const io::Checkpoint& checkpoint) {
  // Without what stands beside it: those keys may change, and do not keep a run from going on.
  const Problem earlier = load_problem({.plugins = problem.plugins}, file, checkpoint, {});
  std::string changed = refuse_differences(problem, earlier, fmt::format("'{}'", file.string()));
  // Only now: with other keys the grid may well be another one.
  refuse_other_grid(problem, file, checkpoint);
  for (const std::string& key : earlier.forgotten) {
    print_warning(
        "solver '{}' of '{}' has no such key any more, so that it is left out of '{}': {}",
        problem.run.solver_name, problem.solver_file.string(), file.string(), key);
    changed += fmt::format("{}{} -> none", changed.empty() ? "" : "; ", key);
  }
  return changed;
}

void check_same_run(const Problem& problem, const std::filesystem::path& folder, bool changes) {
  const std::filesystem::path config = folder / io::kConfigurationFile;
  const Problem earlier = [&] {
    try {
      return load_problem({.config = config, .plugins = problem.plugins, .is_of_run = true});
    } catch (const RequestError& error) {
      throw RequestError(
          "'{}' holds no configuration of a run ({}); if it is damaged, remove it: the checkpoint "
          "has the configuration too",
          config.string(), error.what());
    }
  }();
  const std::string of = fmt::format("the run in '{}'", folder.string());
  const std::string changed = refuse_differences(problem, earlier, of);
  refuse_if(!changes && !changed.empty(),
            "{} has other values than the checkpoint (its own -> the checkpoint's): {}; give its "
            "own with --set, or continue the checkpoint in another folder with --output",
            of, changed);
}

std::string plugin_options(const Problem& problem) {
  std::string words;
  for (const std::filesystem::path& file :
       std::set<std::filesystem::path>{problem.case_file, problem.solver_file}) {
    std::error_code hidden;
    if (std::filesystem::equivalent(file.parent_path(), plugin::shipped_plugins(), hidden))
      continue;
    words += fmt::format(" --plugin-path {}", io::shell_word(file.string()));
  }
  return words;
}

io::OutputFolder open_output(const std::filesystem::path& path, io::Earlier earlier) {
  return as_request([&] { return io::OutputFolder(path, earlier); });
}

void check_output(const std::filesystem::path& path, io::Earlier earlier) {
  as_request([&] { io::OutputFolder::check(path, earlier); });
}

std::unique_ptr<amr::Backend> load_backend(const std::string& name, const Problem& problem) {
  return as_request([&] { return amr::make_backend(name, problem.workers, problem.run.idle); });
}

void check_writing(const amr::Backend& backend) {
  if (backend.runtime() != nullptr) return;
  // As io::StateWriter makes it, when the folder has been taken already.
  as_request([] { const runtime::Runtime trial({.workers = 1}); });
}

void warn_of(const io::ConfigSource& source) {
  // Once, where a command runs a configuration many times.
  static std::set<std::string> told;
  for (const std::string& note : source.notes()) {
    if (told.insert(note).second) print_warning("{}", note);
  }
}

void warn_of(const Problem& problem) {
  warn_of(problem.source);
  for (const double time : problem.run.output_times) {
    const double step =
        problem.options.steps > 0 ? problem.end_time() / problem.options.steps : 0.0;
    const double end = step > 0.0 ? step * problem.stop_step : problem.end_time();
    // The last state is also that of times up to half a step after it.
    if (time <= end + 0.5 * step) continue;
    print_warning("output.times has {}, but the run ends at t = {}; no file will be written for it",
                  time, end);
    break;
  }
  if (problem.solver->traits().centring == amr::Centring::kCell) {
    if (const auto found = amr::contradiction(*problem.the_case)) {
      print_warning(
          "case '{}': its stream function contradicts its velocity at ({:g}, {:g}), t = {:g}: "
          "({:.4g}, {:.4g}) by differences, and ({:.4g}, {:.4g}); solver '{}' may use either. The "
          "velocity is (d psi/dy, -d psi/dx)",
          problem.run.case_name, found->x, found->y, found->time, found->by_stream[0],
          found->by_stream[1], found->velocity[0], found->velocity[1],
          problem.solver->traits().name);
    }
  }
  const amr::Equation asked = problem.the_case->equation();
  const amr::Equation solved = problem.solver->equation();
  if (asked == solved) return;
  print_warning(
      "case '{}' asks for the equation {}, but solver '{}' solves {}: the errors are those of "
      "another problem; {}",
      problem.run.case_name, amr::to_string(asked), problem.solver->traits().name,
      amr::to_string(solved),
      asked.name == solved.name ? "give case and solver the same constants"
                                : "choose a solver of that equation");
}

void warn_above_uniform(const Problem& problem, double fraction, std::string_view who) {
  if (problem.options.levels == 1 || fraction <= 1.0) return;
  print_warning(
      "{} {:.2f} times the point updates of the uniform finest grid, so refinement costs more than "
      "it saves; lower amr.levels, raise amr.threshold or lower amr.buffer",
      who, fraction);
}

std::string plugins_in_words(const Problem& problem) {
  return fmt::format("case '{}' of '{}', solver '{}' of '{}'", problem.run.case_name,
                     problem.case_file.string(), problem.solver->traits().name,
                     problem.solver_file.string());
}

void rethrow_naming_plugins(const Problem& problem) {
  try {
    throw;
  } catch (const amr::BrokenValueError& error) {
    throw std::runtime_error(in_words(error, problem));
  } catch (const amr::DeclarationError& error) {
    throw std::runtime_error(in_words(error, problem));
  }
}

void check_parts(const Problem& problem, int owners) {
  blaming(problem,
          [&] { amr::check(*problem.the_case, *problem.solver, problem.options, owners); });
}

std::unique_ptr<amr::Simulation> make_simulation(const Problem& problem, amr::Backend& backend,
                                                 const io::Checkpoint* from, amr::Owner& owner) {
  runtime::set_fault_advice(fmt::format("  {}\n", plugins_in_words(problem)));
  return blaming(problem, [&] {
    const amr::Case& the_case = *problem.the_case;
    auto simulation = from == nullptr
                          ? std::make_unique<amr::Simulation>(the_case, *problem.solver, backend,
                                                              problem.options, owner)
                          : std::make_unique<amr::Simulation>(the_case, *problem.solver, backend,
                                                              problem.options, from->run, owner);
    // An indicator that fails should do so before work starts.
    if (problem.run.output_extras && owner.number() == 0) simulation->save_with_extras();
    return simulation;
  });
}

}  // namespace kumiko::app
