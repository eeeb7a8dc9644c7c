// kumiko run: computes a case, alone or with other ranks, and writes its files.
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kumiko/amr/step_error.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/io/file_hash.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/model/rank_forecast.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "commands/earlier_summary.hpp"
#include "commands/print_summary.hpp"
#include "commands/tell_restart.hpp"
#include "options/commands.hpp"
#include "run/dry_run.hpp"
#include "run/execute.hpp"
#include "run/progress.hpp"
#include "run/ranks.hpp"
#include "run/run_files.hpp"
#include "run/run_parts.hpp"
#include "run/run_summary.hpp"
#include "run/setup_warnings.hpp"
#include "run/signals.hpp"
#include "terminal/counted.hpp"
#include "terminal/named_path.hpp"
#include "terminal/saved_results.hpp"
#include "terminal/summary_file.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// More workers than cores are slower, but they were requested: not an error.
void warn_above_budget(const amr::Backend& backend) {
  const int cores = runtime::available_cores();
  if (backend.workers() <= cores) return;
  print_warning(
      "{} share {}, by the process's affinity and its control group's quota; without --workers "
      "and runtime.workers there are as many workers as cores",
      counted(backend.workers(), "worker"), counted(cores, "core"));
}

/// True if both paths lead to one folder, also by links. It need not exist.
bool is_same_place(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code hidden;
  const auto place = [&hidden](const std::filesystem::path& folder) {
    return std::filesystem::weakly_canonical(std::filesystem::current_path() / folder / "", hidden);
  };
  return place(one) == place(other) && !hidden;
}

/// The end of the message of a failed run, which says how to continue; empty without a checkpoint.
/// Waits for the newest one, which may not be on the disk yet.
std::string way_on(RunFiles& files, const Setup& setup) {
  files.end_quietly();
  if (!files.latest()) return {};
  return fmt::format("; continue with --restart {}{}", io::shell_word(files.latest()->string()),
                     plugin_options(setup));
}

/// The same on a rank that writes no files: the restart finds the newest whole one.
std::string way_on(const std::filesystem::path& folder, const Setup& setup) {
  if (!newest_checkpoint(folder)) return {};
  return fmt::format("; continue with --restart {}{}", io::shell_word(folder.string()),
                     plugin_options(setup));
}

/// The options and the files that must be the same on all ranks. If they differed, ranks would wait
/// for each other, or ignore their own options.
std::vector<std::pair<std::string, std::string>> agreement(const RunRequest& request,
                                                           const Start& start) {
  const Setup& setup = start.setup;
  const auto of_file = [](const std::filesystem::path& file) {
    return fmt::to_string(io::hash_of_file(file));
  };
  return {{"configuration", setup.config.to_toml()},
          {"plugin of the case", of_file(setup.case_file)},
          {"plugin of the solver", of_file(setup.solver_file)},
          {"checkpoint", start.from ? fmt::to_string(io::hash_in_seal(start.from->file)) : ""},
          {"--output", request.output.string()},
          {"--restart", request.restart},
          {"--summary", request.summary.string()},
          {"--overwrite", request.overwrite ? "on" : ""},
          {"--dry-run", request.dry_run ? "on" : ""},
          {"--no-files", request.no_files ? "on" : ""},
          {"--quiet", request.quiet ? "on" : ""},
          {"--from", request.from},
          {"--from-time", request.from_time},
          {"state", start.initial ? fmt::to_string(io::hash_in_seal(start.initial->file)) : ""}};
}

/// Prepares a rank, and refuses whatever can be refused, before all begin.
Start prepare(RunRequest& request, Ranks& ranks, std::unique_ptr<amr::Backend>& backend) {
  prepare_to_step(request);
  Start start = start_of(request, ranks.leads() && !request.no_files);
  if (ranks.leads() && !start.folder && !request.no_files) {
    check_output(start.path, start.earlier);
  }
  Setup& setup = start.setup;
  setup.options.observe = !request.dry_run;
  if (ranks.are_many() && setup.workers == 0) {
    setup.workers = cluster::workers_by_local_ranks();
  }
  backend = load_backend(request.backend, setup);
  refuse_if(ranks.are_many() && backend->runtime() == nullptr,
            "backend '{}' runs in one process; several ranks need --backend threads",
            backend->name());
  if (!request.no_files) check_writing(*backend);
  return start;
}

/// Shows where the ranks of a run are.
Ranks::Places show_places(Ranks& ranks, bool quiet) {
  Ranks::Places places = ranks.places();
  if (!ranks.leads()) return places;
  if (!quiet) fmt::print("{}", places.lines);
  for (const std::string& warning : places.warnings) print_warning("{}", warning);
  return places;
}

/// Warns if fewer ranks can be expected to be faster.
void warn_of_ranks(const amr::Simulation& simulation, Ranks& ranks, int workers,
                   const Ranks::Places& places) {
  const auto seconds = simulation.expected_seconds();
  if (!seconds) return;
  const amr::SimulationOptions& options = simulation.options();
  constexpr int kWithoutRegrids = 64;
  const int to_regrid = simulation.next_regrid() - simulation.step();
  const model::RunStart start{.mesh = simulation.hierarchy().mesh(),
                              .seconds = *seconds,
                              .subcycling = options.subcycling,
                              .interval = to_regrid > 0 ? to_regrid : kWithoutRegrids,
                              .cores = places.cores};
  // The fastest network between hosts, so that the warning does not come from an assumed slow one.
  const model::Network& network = model::kNetworks[places.hosts > 1 ? 1 : 0].network;
  const auto fewer = model::faster_on_fewer(
      start, ranks.size(),
      {.workers = workers, .network = network, .partition = options.partition});
  if (!fewer) return;
  constexpr double kMilliseconds = 1e3;
  print_warning(
      "{} are likely to be slower than {}: with the first mesh a base step takes {:.2g} ms, and "
      "{:.2g} ms on fewer; start fewer, or see what 'kumiko simulate --ranks' predicts from a "
      "trace",
      counted(ranks.size(), "rank"), fewer->ranks, kMilliseconds * fewer->seconds_now,
      kMilliseconds * fewer->seconds);
}

/// Makes a rank's simulation, and frees the checkpoint that it continues from, or begins with.
std::unique_ptr<amr::Simulation> simulation_of(Start& start, amr::Backend& backend,
                                               amr::Communicator& communicator) {
  auto simulation =
      make_simulation(start.setup, backend, start.from ? &start.from->checkpoint : nullptr,
                      communicator, start.initial ? &start.initial->initial : nullptr);
  if (start.initial) {
    if (communicator.rank() == 0) note_masses(*start.initial, *simulation, start.setup);
    start.initial->initial.run.levels = {};
    start.initial->initial.run.source = {};
  }
  if (start.from) {
    start.from->checkpoint.run.levels = {};
    start.from->checkpoint.run.source = {};
  }
  return simulation;
}

/// Computes with the other ranks what the leader requests.
/// \param start  this rank's; the message of a failure needs it
int follow(RunRequest& request, Ranks& ranks, std::unique_ptr<amr::Backend>& backend,
           std::optional<Start>& start) {
  ranks.join([&]() -> Ranks::Prepared {
    start.emplace(prepare(request, ranks, backend));
    return {backend->runtime(), agreement(request, *start)};
  });
  show_places(ranks, request.quiet);
  const auto simulation = simulation_of(*start, *backend, ranks.communicator());
  ranks.follow(*simulation);
  return kDone;
}

/// Takes the steps of a run. The message of a failure says how to continue.
io::RunSummary take_steps(const RunRequest& request, Ranks& ranks, const Start& start,
                          amr::Backend& backend, amr::Simulation& simulation, RunFiles& files) {
  const Setup& setup = start.setup;
  if (start.from && !files.has_rows()) files.diagnose(simulation);
  const Ranks::Watched watched(ranks, simulation);
  Progress progress(request.quiet, setup.run.case_name, setup, simulation, &ranks);
  try {
    return execute(setup, backend, simulation, progress, &files, past_of(start), &ranks);
  } catch (const std::exception& error) {
    std::string way = way_on(files, setup);
    if (way.empty()) throw;
    if (setup.is_over(simulation)) way = "; all base steps are taken: mend this first" + way;
    const bool is_too_long = dynamic_cast<const amr::CflError*>(&error) != nullptr ||
                             dynamic_cast<const amr::InadmissibleState*>(&error) != nullptr;
    if (is_too_long && setup.options.steps > 0) {
      way += " --set time.steps=N, or with --set time.cfl=C to let the run choose its steps";
    }
    const Failure failure =
        ranks.last_words({error.what()}, dynamic_cast<const cluster::RankLost*>(&error));
    throw std::runtime_error(failure.line + way);
  }
}

/// Writes the last files of a run that is complete, and prints its results.
void finish(const RunRequest& request, const Start& start, const amr::Simulation& simulation,
            const io::RunSummary& summary, const nlohmann::ordered_json& earlier, RunFiles& files) {
  warn_above_uniform(start.setup, summary.fraction_of_uniform, "the run made");
  files.write_picture(simulation, "field_end.png");
  const nlohmann::ordered_json json = summary_json(summary, earlier);
  try {
    files.finish(json, while_running(request.summary));
  } catch (const std::exception&) {
    throw std::runtime_error(failure_now().line + way_on(files, start.setup));
  }
  if (request.summary == kStdout) {
    try {
      write_summary(kStdout, json.dump(2) + "\n");
    } catch (const io::OutputError& error) {
      throw io::OutputError(fmt::format("{}; the run is complete, its files are in '{}'",
                                        error.what(), start.path.string()));
    }
  }
  if (request.quiet) return;
  print_saved(fmt::format("the run is complete, its files are in '{}'", start.path.string()), [&] {
    print_summary(summary_shown(summary, earlier));
    fmt::print("files                {}/\n", start.path.string());
  });
}

/// Makes a run that writes no files but the one of --summary.
/// \param earlier  the summary of the run if it is complete already
int run_without_files(const RunRequest& request, Ranks& ranks, const Start& start,
                      amr::Backend& backend, amr::Simulation& simulation,
                      const nlohmann::ordered_json& earlier) {
  const Ranks::Watched watched(ranks, simulation);
  Progress progress(request.quiet, start.setup.run.case_name, start.setup, simulation, &ranks);
  const io::RunSummary summary =
      execute(start.setup, backend, simulation, progress, nullptr, past_of(start), &ranks);
  warn_above_uniform(start.setup, summary.fraction_of_uniform, "the run made");
  if (!request.quiet) print_summary(summary_shown(summary, earlier));
  std::error_code missing;
  if (!std::filesystem::equivalent(request.summary, start.path / io::kSummaryFile, missing)) {
    write_summary(request.summary, summary_json(summary, earlier).dump(2) + "\n");
  }
  return kDone;
}

/// Takes the run's decisions and writes its files.
int lead(RunRequest& request, Ranks& ranks, std::unique_ptr<amr::Backend>& backend) {
  std::optional<Start> started;
  std::optional<EarlyStatus> early(
      std::in_place, "plugins, configuration and the first mesh are being made ready");
  ranks.join([&]() -> Ranks::Prepared {
    started.emplace(prepare(request, ranks, backend));
    if (!ranks.are_many()) return {backend->runtime()};
    return {backend->runtime(), agreement(request, *started)};
  });
  const Ranks::Places places = show_places(ranks, request.quiet);
  Start& start = *started;
  const Setup& setup = start.setup;
  warn_of(setup);
  if (start.from) warn_of_past_times(setup, start.from->checkpoint);
  const auto simulation = simulation_of(start, *backend, ranks.communicator());
  early.reset();
  if (ranks.are_many()) warn_of_ranks(*simulation, ranks, backend->workers(), places);
  // The summary's folder may be the one that the run makes.
  const bool beside = !request.no_files && !request.summary.empty() && request.summary != kStdout &&
                      is_same_place(request.summary.parent_path(), start.path);
  refuse_if(!request.no_files && !while_running(request.summary).empty() &&
                is_at_or_above(request.summary, start.path),
            "--summary: the run makes '{}' a folder; name a file, such as '{}'",
            request.summary.string(), (start.path / io::kSummaryFile).string());
  check_summary(request.summary, beside);
  if (!request.dry_run && !beside) prepare_summary(request.summary);
  const nlohmann::ordered_json earlier = earlier_summary(start);
  warn_without_sidecar(start);
  // A study says so itself, once.
  if (!ranks.are_many() && !request.no_files) warn_above_budget(*backend);
  if (start.from && !request.quiet) tell_restart(start, simulation->step(), !earlier.empty());
  if (start.initial && !request.quiet) tell_beginning(*start.initial, setup);
  if (request.dry_run) {
    print_forecast(request, start, *backend, *simulation);
    return kDone;
  }
  if (request.no_files || has_its_last_files(start, earlier)) {
    return run_without_files(request, ranks, start, *backend, *simulation, earlier);
  }
  RunFiles files(start, *backend, *simulation);
  if (beside) prepare_summary(request.summary, true);
  if (!start.from) files.write_picture(*simulation, "field_start.png");
  const io::RunSummary summary = take_steps(request, ranks, start, *backend, *simulation, files);
  finish(request, start, *simulation, summary, earlier, files);
  return kDone;
}

int run_case(RunRequest& request) {
  check_request(request);
  heed_signals(!request.no_files);
  hold_status_signal();
  // From here on a failure may be of one rank alone.
  set_silent(false);
  // The ranks meet before there is a Runtime, and poll for messages in it while it exists.
  std::unique_ptr<amr::Backend> backend;
  Ranks ranks;
  std::optional<Start> followed;
  const auto take_part = [&] {
    if (request.print_config) return print_config(request, ranks);
    return ranks.leads() ? lead(request, ranks, backend)
                         : follow(request, ranks, backend, followed);
  };
  if (!ranks.are_many()) return take_part();
  try {
    const int code = take_part();
    ranks.leave();
    return code;
  } catch (const std::exception& error) {
    Failure failure =
        ranks.last_words(failure_now(), dynamic_cast<const cluster::RankLost*>(&error));
    // If the leader is lost, this rank says how to continue.
    if (followed && !failure.line.empty() && !request.no_files) {
      failure.line += way_on(followed->path, followed->setup);
    }
    // An MPI may end this process as soon as the ranks leave.
    if (!failure.line.empty()) {
      set_silent(false);
      error_line(failure.line, failure.code);
    }
    std::fflush(stdout);
    ranks.leave();
    return failure.code;
  }
}

}  // namespace

Action run_command(Options& options) {
  const auto request = std::make_shared<RunRequest>();
  add_case(options, *request, {.needs_file = false});
  options.add("--json", &request->json,
              "print the results as JSON: short for --summary -, which other commands have, too");
  add_backend(options, request->backend);
  add_output(options, *request, "folder for the run's files (default: out/<case>)",
             "replace the files of an earlier run there");
  options.add("--solver", &request->solver,
              "run this solver in place of CASE.toml's, with its default keys and those of --set",
              {.check = not_empty()});
  options.add("--no-files", &request->no_files,
              "write no files: the results go to stdout, and to the file of --summary");
  options.add(
      "--dry-run", &request->dry_run,
      "check everything, build the first mesh, and print what the run would take and write; "
      "writes nothing");
  options.add(
      "--print-config", &request->print_config,
      "print the effective configuration as a CASE.toml, and end; with --json, as JSON, and "
      "what the case and the solver declare");
  options.add(
      "--restart", &request->restart,
      "continue from this checkpoint or state, from the newest whole one in this folder, or "
      "with 'latest' from that in the run's own; without CASE.toml, with the configuration "
      "that it holds",
      {.check = not_empty()});
  options.add("--from", &request->from,
              "begin a new run of CASE.toml with this state or checkpoint, or the newest whole one "
              "in this folder, in place of the case's initial field; grid, levels and solver may "
              "be others",
              {.check = not_empty()});
  options.add("--from-time", &request->from_time,
              "time at which a run with --from begins: 0 (default), or that of the state",
              {.check = one_of({"0", "state"})});
  return [request] { return run_case(*request); };
}

}  // namespace kumiko::app
