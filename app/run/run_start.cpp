#include "run/run_start.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <kumiko/io/state_writer.hpp>

#include "run/lost_sidecar.hpp"
#include "run/run_parts.hpp"
#include "run/same_run.hpp"
#include "terminal/named_path.hpp"
#include "terminal/summary_file.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

/// Times of steps of one length are rounded.
constexpr double kRounded = 1e-12;

fs::path output_path(const RunRequest& request, const Setup& setup) {
  if (!request.output.empty()) return request.output;
  return fs::path("out") / setup.run.case_name;
}

/// Where a checkpoint is, whatever links lead to it.
fs::path folder_of(const fs::path& file) {
  std::error_code missing;
  return fs::weakly_canonical(fs::absolute(file), missing).parent_path();
}

bool are_same(const fs::path& one, const fs::path& other) {
  std::error_code missing;
  return fs::equivalent(one, other, missing);
}

/// The folder that a restart continues, or the one that is asked for.
fs::path restart_path(const RunRequest& request, const std::optional<Setup>& setup) {
  const bool latest = request.restart == kLatest;
  if (!request.output.empty()) return request.output;
  refuse_if(latest && !setup,
            "--restart latest: name the run's folder: --restart FOLDER, or its CASE.toml");
  if (latest) return output_path(request, *setup);
  const fs::path file = request.restart;
  fs::path beside = file.has_parent_path() ? file.parent_path() : ".";
  const bool serves = io::OutputFolder::holds_run(beside) || !fs::exists(file);
  if (serves || !request.needs_folder()) return beside;
  throw RequestError(
      "--restart: '{}' is not in the folder of a run; name the folder for the new files with "
      "--output, if it is a checkpoint or a state",
      file.string());
}

void check_steps(Setup& setup, const Restart& from) {
  const int step = from.checkpoint.run.step;
  refuse_if(step > setup.stop_step, "'{}' is of base step {}, but the run ends at {}; raise {}",
            from.file.string(), step, setup.stop_step,
            setup.run.stop_step > 0 ? "time.stop_step" : "time.steps");
  refuse_if(
      from.checkpoint.run.time > (1.0 + kRounded) * setup.end_time(),
      "'{}' is at t = {:g}, after the end of the run, t = {:g}; set time.end to a later time, "
      "or restart from an earlier file",
      from.file.string(), from.checkpoint.run.time, setup.end_time());
}

/// Records no trace if its first steps lie before the restart, and warns unless the run has one.
void close_trace(Setup& setup, const Restart& from, const fs::path& folder) {
  const int step = from.checkpoint.run.step;
  if (setup.trace_from < 0 || setup.trace_from >= step) return;
  const bool is_partly_done = setup.trace_until > step;
  setup.trace_from = -1;
  std::error_code missing;
  for (const fs::path& place : {folder, folder_of(from.file)}) {
    if (fs::exists(place / io::kTraceFile, missing)) return;
  }
  print_warning(
      "the base steps to trace are {} done, but there is no {} in '{}', and this run records none; "
      "set trace.from to {} or later for one, or to -1 for no trace",
      is_partly_done ? "partly" : "already", io::kTraceFile, folder.string(), step);
}

/// The files of later steps in the folder in which a run continues. Throws RequestError for whole
/// files, unless they are given up.
std::vector<fs::path> later_files_of(const RunRequest& request, const fs::path& folder,
                                     const Restart& from) {
  if (request.restart == kLatest) return from.damaged;
  std::vector<fs::path> later;
  for (const auto& [step, file] : stored_states(folder)) {
    if (step > from.checkpoint.run.step) later.push_back(file);
  }
  if (later.empty() || request.overwrite) return later;
  throw RequestError(
      "the run in '{}' has already reached '{}'; name another folder with --output, or discard the "
      "later files with --overwrite",
      folder.string(), later.front().filename().string());
}

/// A folder stands for the newest checkpoint in it.
RunRequest without_folder(RunRequest request) {
  if (request.restart == kLatest) return request;
  if (type_of_named(request.restart) != fs::file_type::directory) return request;
  if (!request.output.empty() && !are_same(request.output, request.restart)) {
    request.restart = read_newest(request.restart, kRestartOption).file.string();
    return request;
  }
  request.output = request.restart;
  request.restart = kLatest;
  return request;
}

/// The setup of the run that has left a checkpoint.
Setup setup_of(const RunRequest& request, const Restart& from) {
  if (from.settings_from.empty()) return load_setup(request, from.file, from.checkpoint);
  return load_setup(request, from.file, from.checkpoint,
                    {from.settings_from.string(), from.checkpoint.sidecar->configuration});
}

/// A run that continues from a checkpoint, with the given configuration or the checkpoint's own.
Start restarted(const RunRequest& as_asked, bool writes) {
  const RunRequest request = without_folder(as_asked);
  const bool latest = request.restart == kLatest;
  std::optional<Setup> setup;
  if (!request.config.empty()) setup.emplace(load_setup(request));
  fs::path path = restart_path(request, setup);
  const bool goes_on = latest || are_same(path, folder_of(request.restart));
  std::optional<io::OutputFolder> folder;
  if (writes && goes_on && type_of_named(path) == fs::file_type::directory) {
    folder.emplace(open_output(path, io::Earlier::kContinue));
  }
  Restart from =
      latest ? read_newest(path, kRestartOption) : read_named(request.restart, kRestartOption);
  if (!from.sidecar_fault.empty()) replace_sidecar(request.plugins, from);
  if (!setup) setup.emplace(setup_of(request, from));
  setup->begun_from = from.checkpoint.attributes.begun_from;
  std::string changes = check_same_run(*setup, from.file, from.checkpoint);
  from.checkpoint.run.is_changed = !changes.empty();
  if (goes_on && io::OutputFolder::holds_run(path)) {
    check_same_run(*setup, path, !changes.empty());
  }
  check_steps(*setup, from);
  std::vector<fs::path> later;
  if (goes_on && request.needs_folder()) later = later_files_of(request, path, from);
  close_trace(*setup, from, path);
  io::Earlier earlier = request.overwrite ? io::Earlier::kReplace : io::Earlier::kRefuse;
  if (goes_on) earlier = io::Earlier::kContinue;
  return {std::move(*setup), std::move(path),  earlier, std::move(folder),
          std::move(from),   std::move(later), {},      std::move(changes)};
}

/// A run that begins anew, with its case's initial field or with a state.
Start begun(const RunRequest& request) {
  Setup setup = load_setup(request);
  fs::path path = output_path(request, setup);
  const io::Earlier earlier = request.overwrite ? io::Earlier::kReplace : io::Earlier::kRefuse;
  std::optional<FromState> initial;
  if (!request.from.empty()) {
    initial = read_from_state(request.from, request.from_time, setup);
    refuse_if(request.overwrite && are_same(path, folder_of(initial->file)),
              "--from: '{}' would be removed with the files of '{}', which --overwrite replaces; "
              "name another folder with --output",
              initial->file.string(), path.string());
  }
  Start start{std::move(setup), std::move(path), earlier};
  start.initial = std::move(initial);
  return start;
}

/// Refuses base steps to trace that the run does not take.
void check_trace(const Start& start) {
  const Setup& setup = start.setup;
  if (setup.trace_from < 0) return;
  refuse_if(setup.trace_from >= setup.stop_step,
            "trace.from: the run ends at base step {}; choose 0 .. {}, or -1 for no trace",
            setup.stop_step, setup.stop_step - 1);
}

bool changes_key(const Start& start, std::string_view key) {
  return ("; " + start.changes).find(fmt::format("; {}: ", key)) != std::string::npos;
}

/// Refuses to change a run of which nothing is left.
void check_changes(const Start& start) {
  if (!is_done(start) || start.changes.empty()) return;
  const amr::SavedRun& run = start.from->checkpoint.run;
  const Setup& setup = start.setup;
  // A number of steps divides what is left of the time, so that both must leave some.
  const std::string more_steps =
      run.step < setup.stop_step
          ? std::string()
          : fmt::format(" {} to more than {}",
                        setup.run.stop_step > 0 ? "time.stop_step" : "time.steps", run.step);
  const bool is_later = run.time < (1.0 - kRounded) * setup.end_time();
  const bool has_one = is_later ? changes_key(start, "time.end") : changes_key(start, "time.steps");
  throw RequestError(
      "'{}' is complete: nothing is left of its run that could change ({}); leave these keys as "
      "they were, or {}set{}{}{}",
      start.from->file.string(), start.changes, has_one ? "also " : "",
      is_later ? "" : " time.end to a later time", is_later || more_steps.empty() ? "" : " and",
      more_steps);
}

}  // namespace

void check_request(RunRequest& request) {
  if (request.json) {
    refuse_if(!request.summary.empty(), "--json stands for --summary -; give one of the two");
    request.summary = kStdout;
  }
  const bool has_json = request.summary == kStdout;
  refuse_if(request.dry_run && request.print_config,
            "--dry-run and --print-config print different things; give one of the two");
  refuse_if(request.dry_run && request.quiet && !has_json,
            "--quiet leaves --dry-run nothing to print; take one of the two out, or add --json");
  refuse_if(request.no_files && (!request.output.empty() || request.overwrite),
            "--no-files writes nothing that --output and --overwrite could be for; leave them out");
  refuse_if(request.no_files && request.quiet && request.summary.empty() && !request.print_config,
            "--no-files with --quiet leaves nothing of the run; add --json, or --summary FILE");
  refuse_if(request.print_config && !request.summary.empty() && !has_json,
            "--print-config prints on stdout; leave out --summary, or give --summary - for JSON");
  refuse_if(
      !request.solver.empty() && !request.restart.empty(),
      "--solver: a run that continues keeps its solver; leave out one of --solver and --restart");
  refuse_if(!request.from.empty() && !request.restart.empty(),
            "--from begins a new run, and --restart continues one; give one of the two");
  refuse_if(request.from.empty() && !request.from_time.empty(),
            "--from-time: there is no state to begin with; name one with --from");
  for (const std::string& setting : request.overrides) {
    refuse_if(!request.solver.empty() && setting.starts_with("solver.name="),
              "--solver {} and --set {} both name the solver; leave out one of them",
              request.solver, setting);
  }
  if (!request.solver.empty()) request.solver_from = "--solver " + request.solver;
}

Start start_of(const RunRequest& request, bool writes) {
  refuse_if(request.config.empty() && request.restart.empty(),
            "name CASE.toml, or a run to continue with --restart; see 'kumiko run --help'");
  Start start = request.restart.empty() ? begun(request) : restarted(request, writes);
  start.configuration = request.config;
  check_changes(start);
  check_trace(start);
  return start;
}

bool is_done(const Start& start) {
  if (!start.from) return false;
  const amr::SavedRun& run = start.from->checkpoint.run;
  return run.step >= start.setup.stop_step || run.time >= (1.0 - kRounded) * start.setup.end_time();
}

}  // namespace kumiko::app
