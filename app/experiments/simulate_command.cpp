// kumiko simulate: predicts a run on other workers or ranks from its trace.
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/nearest.hpp>
#include <kumiko/io/read_number.hpp>
#include <kumiko/model/schedule_model.hpp>

#include "experiments/counts.hpp"
#include "experiments/laboratory.hpp"
#include "experiments/what_if.hpp"
#include "options/commands.hpp"
#include "run/run_parts.hpp"
#include "run/shared_options.hpp"
#include "terminal/named_path.hpp"
#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

struct SimulateRequest : OutputRequest {
  std::filesystem::path trace;
  std::string workers = "1..1024, or 1 with --ranks";
  std::vector<std::string> models = {"dataflow", "level", "static", "openmp"};
  std::string ranks;  ///< empty: one process
  std::string network = "shared";
  std::string partition = "depth-first";
  std::filesystem::path replay;        ///< folder; empty: none
  std::vector<std::string> beside;     ///< traces of several workers
  std::vector<std::string> overheads;  ///< NAME=NANOSECONDS
  std::uint64_t seed = 1;              ///< of the random numbers
  bool json = false;
};

std::vector<model::ScheduleKind> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<model::ScheduleKind> kinds;
  for (const model::ScheduleKind kind : model::kScheduleKinds) {
    if (std::ranges::count(names, model::to_string(kind)) > 0) kinds.push_back(kind);
  }
  return kinds;
}

/// The overheads by the names that --overhead gives them.
std::map<std::string, model::Overhead*, std::less<>> by_name(model::Overheads& overheads) {
  std::map<std::string, model::Overhead*, std::less<>> all = {
      {"barrier", &overheads.barrier}, {"steal", &overheads.steal}, {"look", &overheads.look}};
  for (const model::ScheduleKind kind : model::kScheduleKinds) {
    const auto at = model::index_of(kind);
    all[fmt::format("piece.{}", model::to_string(kind))] = &overheads.piece[at];
    all[fmt::format("beside.{}", model::to_string(kind))] = &overheads.beside[at];
    if (kind == model::ScheduleKind::kDataflow) continue;  // It has no phases.
    all[fmt::format("phase.{}", model::to_string(kind))] = &overheads.phase[at];
  }
  return all;
}

void set_overhead(model::Overheads& overheads, std::string_view setting) {
  constexpr double kMost = 1e9;
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
  const auto all = by_name(overheads);
  const auto named = all.find(name);
  std::vector<std::string> names;
  for (const auto& [each, place] : all) names.emplace_back(each);
  refuse_if(named == all.end(),
            "--overhead: '{}' is not the name of an overhead; choose among {}{}", name,
            listed(names), io::did_you_mean(name, names));
  const auto ns = io::read_number<double>(value);
  // A second worker may bring a cache of its own.
  const double least = name.starts_with("beside.") ? -kMost : 0.0;
  refuse_if(
      !ns || !(*ns >= least && *ns <= kMost),
      "--overhead: '{}' is not a time in nanoseconds; write one from {:g} to {:g}, such as {}=200",
      value, least, kMost, name);
  *named->second = {.ns = *ns};
}

/// Reads a trace by several workers, and measures from it what they cost each other.
void compare_with(const std::string& path, WhatIf& what_if) {
  const amr::Trace several = read_named_trace(path);
  try {
    const auto times = model::compare_pieces(what_if.trace, several, what_if.overheads);
    refuse_if(std::ranges::count(what_if.piece_times, times.kind, &model::PieceTimes::kind) > 0,
              "--beside {}: a trace of schedule '{}' was given before; give one of each at most",
              path, model::to_string(times.kind));
    what_if.piece_times.push_back(times);
  } catch (const std::invalid_argument& error) {
    throw RequestError("--beside {}: {}", path, error.what());
  }
}

/// Checks that files may be written into the folder that an option names, before work starts.
/// `what` says what earlier ones are of. Throws RequestError.
void check_files(std::string_view option, const std::filesystem::path& folder,
                 std::initializer_list<const char*> names, bool overwrite, std::string_view what) {
  if (folder.empty()) return;
  // A folder may hold other files: of them only these are written.
  check_for<RequestError>(option, [&] { check_output(folder, io::Earlier::kContinue); });
  for (const char* const name : names) {
    refuse_if(
        !overwrite && std::filesystem::exists(folder / name),
        "'{}' already exists; replace the {} in that folder with --overwrite, or name another "
        "folder with {}",
        (folder / name).string(), what, option);
  }
}

void check_no_ranks(const SimulateRequest& request) {
  const SimulateRequest defaults;
  const auto check = [](const char* option, bool is_given) {
    refuse_if(is_given, "{} is only for predictions with --ranks; add --ranks", option);
  };
  check("--network", request.network != defaults.network);
  check("--partition", request.partition != defaults.partition);
  check("--replay", !request.replay.empty());
}

/// The request for ranks. Throws RequestError.
RanksRequest ranks_of(const SimulateRequest& request, bool tells_workers) {
  refuse_if(request.models != SimulateRequest().models,
            "--models: with --ranks only dataflow is predicted; leave --models out");
  std::vector<int> workers = {1};
  if (tells_workers) {
    workers = parse_counts("workers", request.workers, model::ScheduleModel::kMostWorkers);
  }
  refuse_if(workers.size() != 1, "--workers: with --ranks give one number, the workers of a rank");
  check_files("--output", request.output,
              {"ranks.csv", "ranks.json", "ranks.svg", "ranks.png", "ranks.pdf"}, request.overwrite,
              "predictions");
  const std::vector<int> ranks = parse_counts("ranks", request.ranks, model::RankModel::kMostRanks);
  refuse_if(!request.replay.empty() && (ranks.size() != 1 || workers.front() != 1),
            "--replay needs one number of ranks, with one worker each");
  check_files("--replay", request.replay, {kReplayFile}, request.overwrite, "actions of ranks");
  const auto partition = std::ranges::find(amr::kPartitionNames, request.partition);
  return {.ranks = ranks,
          .options = {.workers = workers.front(),
                      .network = network_named(request.network),
                      .partition =
                          static_cast<amr::PartitionKind>(partition - amr::kPartitionNames.begin()),
                      .seed = request.seed},
          .network_name = request.network,
          .replay = request.replay};
}

/// The numbers of workers to predict for. Throws RequestError.
std::vector<int> workers_of(const SimulateRequest& request, bool tells_workers) {
  check_no_ranks(request);
  std::vector<int> workers = parse_counts("workers", tells_workers ? request.workers : "1..1024",
                                          model::ScheduleModel::kMostWorkers);
  check_files("--output", request.output,
              {"simulate.csv", "simulate.json", "speed_up.svg", "speed_up.png", "speed_up.pdf",
               "efficiency.svg", "efficiency.png", "efficiency.pdf"},
              request.overwrite, "predictions");
  return workers;
}

/// Reads the traces, and finds the overheads. Throws RequestError.
WhatIf read_traces(const SimulateRequest& request) {
  WhatIf what_if;
  what_if.seed = request.seed;
  model::Overheads settings;
  for (const std::string& setting : request.overheads) set_overhead(settings, setting);
  what_if.trace = read_named_trace(request.trace);
  refuse_if(what_if.trace.pieces.empty(),
            "the trace of '{}' is empty: no base step was recorded; trace.from must be below the "
            "run's last step",
            request.trace.string());
  what_if.overheads = model::estimate_overheads(what_if.trace);
  for (const std::string& several : request.beside) compare_with(several, what_if);
  for (const std::string& setting : request.overheads) set_overhead(what_if.overheads, setting);
  return what_if;
}

[[noreturn]] void simulate(const SimulateRequest& request, bool tells_workers) {
  check_laboratory("simulate");
  std::optional<RanksRequest> ranks;
  std::vector<int> workers;
  if (request.ranks.empty()) {
    workers = workers_of(request, tells_workers);
  } else {
    ranks = ranks_of(request, tells_workers);
  }
  const WhatIf what_if = read_traces(request);
  nlohmann::ordered_json found = found_in_trace(what_if);
  found["given"] = request.overheads;
  if (ranks) {
    predict_ranks(what_if, *ranks, found);
  } else {
    predict_workers(what_if, chosen_kinds(request.models), workers, found);
  }
  become_study("simulate", {{"config", request.trace.string()},
                            {"found", found},
                            {"output", request.output.string()},
                            {"overwrite", request.overwrite},
                            {"summary", request.json ? "-" : ""}});
}

}  // namespace

Action simulate_command(Options& options) {
  const auto request = std::make_shared<SimulateRequest>();
  options.add("TRACE", &request->trace, "a trace.hdf, or the folder of a run with one",
              {.is_required = true});
  options.add("-w,--workers", &request->workers,
              "P1,P2,...: numbers of workers; FIRST..LAST: doubled from first to last");
  options.add("--ranks", &request->ranks,
              "R1,R2,..., or FIRST..LAST: processes that send each other messages, with --workers "
              "each");
  options.add("--network", &request->network,
              "between ranks: shared (one machine), 100gb, tcp, or OVERHEAD,LATENCY,GAP,PER_BYTE "
              "in nanoseconds");
  options.add("--partition", &request->partition, "how patches are dealt to ranks",
              {.check = one_of({amr::kPartitionNames.begin(), amr::kPartitionNames.end()})});
  options.add(
      "--replay", &request->replay,
      "folder for what each of the ranks does and sends, as SimGrid's smpirun replays it on "
      "a platform of yours",
      {.check = not_empty()});
  options.add("--models", &request->models, "A,B,C: schedules",
              {.lists = true, .check = one_of(request->models)});
  options.add("--beside", &request->beside,
              "a trace of the same base steps by several workers, from which the cost of a second "
              "worker is measured",
              {.repeats = true});
  options.add("--overhead", &request->overheads,
              "NAME=NANOSECONDS: an overhead in place of the measured or the default one: piece, "
              "beside or phase, each with a schedule as in piece.level, barrier, steal, look",
              {.repeats = true});
  add_output(
      options, *request,
      "folder for simulate.csv, simulate.json, speed_up.svg and efficiency.svg; with --ranks "
      "for ranks.csv, ranks.json and ranks.svg",
      "replace such files there");
  options.add("--seed", &request->seed,
              "of the random numbers: whom an idle worker asks first, and a random partition",
              {.check = whole_number(0, std::numeric_limits<std::uint64_t>::max())});
  options.add("--json", &request->json, "as JSON");
  return [request, options]() -> int { simulate(*request, options.is_given("--workers")); };
}

}  // namespace kumiko::app
