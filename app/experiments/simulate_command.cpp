#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "commands.hpp"
#include "experiments/what_if.hpp"
#include "request.hpp"
#include "shared_options.hpp"
#include "trace_export.hpp"

namespace kumiko::app {

namespace {

struct SimulateRequest : OutputRequest {
  std::filesystem::path trace;
  std::string workers = "1..1024";
  std::vector<std::string> models = {"dataflow", "level", "static", "openmp"};
  std::vector<std::string> overheads;  ///< NAME=NANOSECONDS
  std::uint64_t seed = 1;              ///< of what is drawn by chance
  bool json = false;
};

/// "1,2,4,8", in any order; "1..1024" stands for 1, 2, 4, ... as far as 1024, both ends included.
/// In rising order, each once.
std::vector<int> parse_workers(std::string_view list) {
  constexpr std::string_view kRange = "..";
  constexpr int kMost = model::ScheduleModel::kMostWorkers;
  std::set<int> workers;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view part = list.substr(begin, end - begin);
    const std::size_t range = part.find(kRange);
    const auto first = read_number<int>(part.substr(0, range));
    const auto last =
        range == part.npos ? first : read_number<int>(part.substr(range + kRange.size()));
    refuse_if(!first || !last || *first < 1 || *first > *last || *last > kMost,
              "--workers: '{}' in '{}' is not a number of workers; give a list such as 1,2,4,8, or "
              "1..1024 for the powers of two, of numbers from 1 to {}",
              part, list, kMost);
    for (int count = *first; count < *last; count *= 2) workers.insert(count);
    workers.insert(*last);
    begin = end + 1;
  }
  return {workers.begin(), workers.end()};
}

std::vector<model::ScheduleKind> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<model::ScheduleKind> kinds;
  for (const model::ScheduleKind kind : model::kScheduleKinds) {
    if (std::ranges::count(names, model::to_string(kind)) > 0) kinds.push_back(kind);
  }
  return kinds;
}

/// The overhead that NAME of NAME=NS stands for.
model::Overhead* find_overhead(model::Overheads& overheads, std::string_view name) {
  if (name == "barrier") return &overheads.barrier;
  if (name == "steal") return &overheads.steal;
  if (name == "look") return &overheads.look;
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const auto kind = model::schedule_kind(name.substr(dot + 1));
  if (!kind) return nullptr;
  const auto at = static_cast<std::size_t>(*kind);
  if (name.substr(0, dot) == "piece") return &overheads.piece[at];
  const bool has_phases = *kind != model::ScheduleKind::kDataflow;
  return has_phases && name.substr(0, dot) == "phase" ? &overheads.phase[at] : nullptr;
}

void set_overhead(model::Overheads& overheads, std::string_view setting) {
  constexpr double kMost = 1e9;
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
  model::Overhead* const overhead = find_overhead(overheads, name);
  refuse_if(overhead == nullptr,
            "--overhead: '{}' is not the name of an overhead; choose among piece.SCHEDULE, "
            "phase.SCHEDULE (but phase.dataflow), barrier, steal and look",
            name);
  const auto ns = read_number<double>(value);
  refuse_if(
      !ns || !(*ns >= 0.0 && *ns <= kMost),
      "--overhead: '{}' is not a time in nanoseconds; write one from 0 to {:g}, such as {}=200",
      value, kMost, name);
  *overhead = {*ns, false};
}

void predict(WhatIf& what_if) {
  const model::ScheduleModel model(what_if.trace, what_if.overheads, what_if.seed);
  what_if.bounds = model.bounds();
  what_if.disturbed_share = model::disturbed_share(what_if.trace);
  what_if.static_alone_s = model.predict(model::ScheduleKind::kStatic, 1).seconds;
  for (const model::ScheduleKind kind : what_if.kinds) {
    what_if.alone.push_back(model.predict(kind, 1));
    for (const int workers : what_if.workers) {
      what_if.predictions.push_back(model.predict(kind, workers));
    }
  }
}

int simulate(const SimulateRequest& request) {
  WhatIf what_if;
  what_if.seed = request.seed;
  what_if.kinds = chosen_kinds(request.models);
  what_if.workers = parse_workers(request.workers);
  check_sweep_files(request.output, kWhatIfFiles, request.overwrite, "predictions");
  model::Overheads settings;
  for (const std::string& setting : request.overheads) set_overhead(settings, setting);
  what_if.trace = read_named_trace(request.trace);
  refuse_if(what_if.trace.pieces.empty(),
            "the trace of '{}' is empty: no base step was recorded; trace.from must be below the "
            "run's last step",
            request.trace.string());
  what_if.overheads = model::estimate_overheads(what_if.trace);
  for (const std::string& setting : request.overheads) set_overhead(what_if.overheads, setting);
  predict(what_if);
  write_sweep_files(request.output, kWhatIfFiles, what_if);
  fmt::print("{}", request.json ? json_report(what_if) : plain_report(what_if));
  if (!request.output.empty() && !request.json) {
    fmt::print("\nfiles in {}/\n", request.output.string());
  }
  return kDone;
}

}  // namespace

Action simulate_command(Options& options) {
  const auto request = std::make_shared<SimulateRequest>();
  options.add("TRACE", &request->trace, "a trace.hdf, or the folder of a run with one",
              {.is_required = true});
  options.add("--workers", &request->workers,
              "P1,P2,...: numbers of workers; FIRST..LAST: doubled from first to last");
  options.add("--models", &request->models, "A,B,C: schedules",
              {.lists = true, .check = one_of(request->models)});
  options.add("--overhead", &request->overheads,
              "NAME=NANOSECONDS instead of what the trace tells or of the default: piece or phase, "
              "each with .SCHEDULE, barrier, steal, look",
              {.repeats = true});
  add_output(options, *request,
             "folder for simulate.csv, simulate.json, speed_up.svg and efficiency.svg",
             "replace such files there");
  options.add("--seed", &request->seed, "for whom thieves ask first",
              {.check = whole_number(0, std::numeric_limits<std::uint64_t>::max())});
  options.add("--json", &request->json, "as JSON");
  return [request] { return simulate(*request); };
}

}  // namespace kumiko::app
