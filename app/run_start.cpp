#include "run_start.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "named_path.hpp"
#include "terminal.hpp"

namespace kumiko::app {

namespace {

std::filesystem::path output_path(const RunRequest& request, const Problem& problem) {
  if (!request.output.empty()) return request.output;
  return std::filesystem::path("out") / problem.run.case_name;
}

/// Where a checkpoint is, whatever links lead to it.
std::filesystem::path folder_of(const std::filesystem::path& file) {
  std::error_code missing;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file), missing).parent_path();
}

bool are_same(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code missing;
  return std::filesystem::equivalent(one, other, missing);
}

/// The folder that a restart continues, or the one that is asked for.
std::filesystem::path restart_path(const RunRequest& request,
                                   const std::optional<Problem>& problem) {
  const bool latest = request.restart == kLatest;
  if (!request.output.empty()) return request.output;
  refuse_if(latest && !problem,
            "--restart latest: name CASE.toml, or the run's folder with --output");
  if (latest) return output_path(request, *problem);
  const std::filesystem::path file = request.restart;
  std::filesystem::path beside = file.has_parent_path() ? file.parent_path() : ".";
  if (io::OutputFolder::holds_run(beside) || !std::filesystem::exists(file)) return beside;
  throw RequestError("--restart: '{}' is not in the folder of a run; name one with --output",
                     file.string());
}

void check_steps(Problem& problem, const Restart& from) {
  const int step = from.checkpoint.run.step;
  refuse_if(step > problem.stop_step,
            "'{}' stands at base step {}, and the run is to end at {}; raise time.stop_step",
            from.file.string(), step, problem.stop_step);
}

/// Of steps that are behind the run there can be no trace but one that it has.
void close_trace(Problem& problem, const Restart& from, const std::filesystem::path& folder) {
  if (problem.trace_from < 0 || problem.trace_until > from.checkpoint.run.step) return;
  problem.trace_from = -1;
  std::error_code missing;
  for (const std::filesystem::path& place : {folder, folder_of(from.file)}) {
    if (std::filesystem::exists(place / io::kTraceFile, missing)) return;
  }
  print_to_stderr(
      "kumiko: warning: the traced steps are over, and there is no {} in '{}'; set trace.from to "
      "{} or later, or to -1 for no trace\n",
      io::kTraceFile, folder.string(), from.checkpoint.run.step);
}

/// What is in the way of a run that goes on in its folder. Throws RequestError for whole files,
/// unless they are given up.
std::vector<std::filesystem::path> later_files_of(const RunRequest& request,
                                                  const std::filesystem::path& folder,
                                                  const Restart& from) {
  if (request.restart == kLatest) return from.damaged;
  std::vector<std::filesystem::path> later = later_files(folder, from.checkpoint.run.step);
  if (later.empty() || request.overwrite) return later;
  throw RequestError(
      "the run in '{}' has got further, to '{}'; name another folder with --output, or give up "
      "what is later with --overwrite",
      folder.string(), later.front().filename().string());
}

/// A folder stands for the newest checkpoint in it.
RunRequest without_folder(RunRequest request) {
  if (request.restart == kLatest) return request;
  if (type_of_named(request.restart) != std::filesystem::file_type::directory) return request;
  refuse_if(!request.output.empty() && !are_same(request.output, request.restart),
            "--restart: '{}' is a folder; name one of its files to go on elsewhere",
            request.restart);
  request.output = request.restart;
  request.restart = kLatest;
  return request;
}

/// A run that goes on from a checkpoint, with the configuration given or the checkpoint's own.
Start restarted(const RunRequest& as_asked) {
  const RunRequest request = without_folder(as_asked);
  const bool latest = request.restart == kLatest;
  std::optional<Problem> problem;
  if (!request.config.empty()) problem.emplace(load_problem(request));
  std::filesystem::path path = restart_path(request, problem);
  const bool goes_on = latest || are_same(path, folder_of(request.restart));
  std::optional<io::OutputFolder> folder;
  if (goes_on && type_of_named(path) == std::filesystem::file_type::directory) {
    folder.emplace(open_output(path, io::Earlier::kContinue));
  }
  Restart from = latest ? latest_restart(path) : read_restart(request.restart);
  if (!problem) problem.emplace(load_problem(request, from.file, from.checkpoint));
  check_same_run(*problem, from.file, from.checkpoint);
  if (goes_on && io::OutputFolder::holds_run(path)) check_same_run(*problem, path);
  check_steps(*problem, from);
  std::vector<std::filesystem::path> later;
  if (goes_on) later = later_files_of(request, path, from);
  close_trace(*problem, from, path);
  io::Earlier earlier = request.overwrite ? io::Earlier::kReplace : io::Earlier::kRefuse;
  if (goes_on) earlier = io::Earlier::kContinue;
  return {std::move(*problem), std::move(path), earlier,
          std::move(folder),   std::move(from), std::move(later)};
}

}  // namespace

Start start_of(const RunRequest& request) {
  const auto fresh = [&]() -> Start {
    Problem problem = load_problem(request);
    std::filesystem::path path = output_path(request, problem);
    return {std::move(problem), std::move(path),
            request.overwrite ? io::Earlier::kReplace : io::Earlier::kRefuse};
  };
  Start start = request.restart.empty() ? fresh() : restarted(request);
  start.configuration = request.config;
  return start;
}

void check_trace(const Start& start) {
  const Problem& problem = start.problem;
  if (problem.trace_from < 0) return;
  const int first = start.from ? start.from->checkpoint.run.step : 0;
  refuse_if(problem.trace_from < first,
            "trace.from: the run goes on from base step {}; choose a later one, or -1 for no trace",
            first);
  refuse_if(problem.trace_from >= problem.stop_step,
            "trace.from: the run ends at base step {}; choose 0 .. {}, or -1 for no trace",
            problem.stop_step, problem.stop_step - 1);
}

}  // namespace kumiko::app
