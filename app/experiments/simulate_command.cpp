#include <charconv>
#include <limits>
#include <memory>
#include <string_view>

#include <fmt/core.h>

#include "commands.hpp"
#include "experiments/what_if.hpp"
#include "experiments/worker_list.hpp"
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

std::vector<model::ScheduleKind> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<model::ScheduleKind> kinds;
  for (const model::ScheduleKind kind : model::kScheduleKinds) {
    for (const std::string& name : names) {
      if (name != model::to_string(kind)) continue;
      kinds.push_back(kind);
      break;
    }
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
  if (overhead == nullptr) {
    throw RequestError(
        fmt::format("--overhead: '{}' is not the name of an overhead; choose among piece.SCHEDULE, "
                    "phase.SCHEDULE (but phase.dataflow), barrier, steal and look",
                    name));
  }
  double ns = -1.0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, ns);
  if (error != std::errc() || stop != end || !(ns >= 0.0 && ns <= kMost)) {
    throw RequestError(fmt::format(
        "--overhead: '{}' is not a time in nanoseconds; write one from 0 to {:g}, such as {}=200",
        value, kMost, name));
  }
  *overhead = {ns, false};
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
  what_if.workers =
      parse_worker_list(request.workers, "--workers", model::ScheduleModel::kMostWorkers);
  check_sweep_files(request.output, kWhatIfFiles, request.overwrite, "predictions");
  model::Overheads settings;
  for (const std::string& setting : request.overheads) set_overhead(settings, setting);
  what_if.trace = read_named_trace(request.trace);
  if (what_if.trace.pieces.empty()) {
    throw RequestError(fmt::format(
        "the trace of '{}' is empty: no base step was recorded; trace.from must be below the "
        "run's last step",
        request.trace.string()));
  }
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
