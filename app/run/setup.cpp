#include "run/setup.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/io/nearest.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/io/sidecar.hpp>

#include "options/prefix.hpp"
#include "run/as_request.hpp"
#include "run/record_plan.hpp"

namespace kumiko::app {

namespace {

template <class Factories>
std::vector<std::string> names(const Factories& factories) {
  std::vector<std::string> list;
  for (const auto& factory : factories) list.push_back(factory.name);
  return list;
}

/// The factory that a key names. Throws the error that says where the key was set, and its choices.
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

/// A configuration with the value that "auto" stands for, because a restart must not choose again.
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

/// Refuses base steps that end at given times, if that is not possible.
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

/// Adds the parameters of a factory to the schema, and notes those of the others.
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

/// Leaves out keys that the solver does not have any more. Refuses those that the case does not
/// have any more, because no restart changes the case. \return the keys that were left out
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

Setup make_setup(io::ConfigSource source, int workers,
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
  check_records(source, run.records, *made_case);
  if (const std::string given = source.override_of(kWorkersKey); !given.empty()) {
    refuse_if(workers != 0 && workers != run.workers,
              "--workers {} and {} give different numbers of workers; give one of the two", workers,
              given);
  }
  const int last_of_all = options.steps > 0 ? options.steps : Setup::kNoStep;
  const int last_step = run.stop_step > 0 ? run.stop_step : last_of_all;
  const std::int64_t trace_until = std::int64_t{run.trace_from} + run.trace_steps;
  return Setup{std::move(source),
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

/// Reads the configuration that a request names. If there is none, the error names the installed
/// one.
io::ConfigSource read_named_config(const SetupRequest& request) {
  try {
    return io::read_config(request.config, request.overrides);
  } catch (const io::ConfigError& error) {
    std::error_code hidden;
    if (std::filesystem::exists(request.config, hidden)) throw;
    const std::filesystem::path installed = installed_configuration(request.config);
    if (installed.empty()) throw;
    throw RequestError("{}, such as the installed {}", error.what(),
                       io::shell_word(installed.string()));
  }
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

double Setup::uniform_updates(int steps, int levels) const {
  const double per_level = options.subcycling ? 8.0 : 4.0;
  return std::pow(per_level, levels - 1) * options.points_x * options.points_y * steps;
}

Setup load_setup(const SetupRequest& request) {
  return as_request([&] {
    io::ConfigSource source = read_named_config(request);
    if (!request.solver.empty()) {
      source = source.with_solver(request.solver, request.solver_from);
    }
    return make_setup(source, request.workers, request.plugins, request.is_of_run);
  });
}

Setup load_setup(const SetupRequest& request, const std::filesystem::path& file,
                 const io::Checkpoint& checkpoint, io::ValuesBeside beside) {
  beside.names_lines = false;
  return as_request([&] {
    return make_setup(io::parse_config(checkpoint.attributes.configuration, file.string(),
                                       request.overrides, beside),
                      request.workers, request.plugins, true);
  });
}

Setup load_setup(const SetupRequest& request, const std::filesystem::path& file,
                 const io::Checkpoint& checkpoint) {
  io::ValuesBeside beside;
  if (checkpoint.sidecar) {
    beside = {io::sidecar_of(file).string(), checkpoint.sidecar->configuration};
  }
  return load_setup(request, file, checkpoint, beside);
}

}  // namespace kumiko::app
