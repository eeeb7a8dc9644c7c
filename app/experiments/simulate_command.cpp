#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/nearest.hpp>
#include <kumiko/io/read_number.hpp>
#include <kumiko/model/schedule_model.hpp>
#include <kumiko/viz/line_chart.hpp>

#include "experiments/counts.hpp"
#include "experiments/simulate_ranks.hpp"
#include "experiments/sweep.hpp"
#include "options/commands.hpp"
#include "terminal/counted.hpp"
#include "terminal/named_path.hpp"
#include "terminal/text_table.hpp"

namespace kumiko::app {

namespace {

/// Predictions from one trace.
struct WhatIf {
  amr::Trace trace;
  std::uint64_t seed = 1;
  model::WorkBounds bounds;
  double disturbed_share = 0.0;  ///< of the pieces' time
  model::Overheads overheads;
  std::vector<model::PieceTimes> piece_times;  ///< measured, of schedules
  std::vector<model::ScheduleKind> kinds;
  std::vector<int> workers;                    ///< in rising order
  std::vector<model::Prediction> predictions;  ///< by kind, then by workers
  std::vector<model::Prediction> alone;        ///< of each kind, with one worker
  double static_alone_s = 0.0;                 ///< backend pthread on one worker: the thesis's base

  /// Over the same schedule on one worker.
  double speed_up(const model::Prediction& prediction) const {
    const auto same = std::ranges::find(alone, prediction.kind, &model::Prediction::kind);
    return same == alone.end() ? 0.0 : same->seconds / prediction.seconds;
  }
  /// Over backend pthread on one worker.
  double speed_up_over_static(const model::Prediction& prediction) const {
    return static_alone_s / prediction.seconds;
  }
};

using Json = nlohmann::ordered_json;
using model::Prediction;

/// Where the trace is from.
std::string recorded(const amr::Trace& trace) {
  return fmt::format("backend {}, schedule {}, {}, {}, {}", trace.backend, trace.schedule,
                     counted(trace.workers, "worker"), counted(base_steps(trace), "base step"),
                     counted(trace.pieces.size(), "piece"));
}

std::string heading(const WhatIf& what_if) {
  const amr::Trace& trace = what_if.trace;
  const std::string name = trace.case_name.empty() ? "(no name)" : trace.case_name;
  return fmt::format("case {}, solver {}; recorded: {}", name, trace.solver, recorded(trace));
}

std::string nanoseconds(const model::Overhead& overhead) {
  const std::string_view source = overhead.given ? " (given)" : " (assumed)";
  return fmt::format("{:.0f} ns{}", overhead.ns, overhead.measured ? "" : source);
}

std::string overheads_text(const WhatIf& what_if) {
  std::string text = "overheads:";
  for (const model::ScheduleKind kind : what_if.kinds) {
    text += fmt::format(" {} {} a piece", model::to_string(kind),
                        nanoseconds(what_if.overheads.piece_of(kind)));
    if (kind != model::ScheduleKind::kDataflow) {
      text += fmt::format(" and {} a phase", nanoseconds(what_if.overheads.phase_of(kind)));
    }
    text += ";";
  }
  return text + fmt::format(" a steal {}, a barrier {} per doubling\n",
                            nanoseconds(what_if.overheads.steal),
                            nanoseconds(what_if.overheads.barrier));
}

/// What a second worker costs a piece, by schedule.
std::string beside_text(const WhatIf& what_if) {
  std::string text = "a second worker at work changes the time of a piece by:";
  for (const model::ScheduleKind kind : what_if.kinds) {
    text += fmt::format(" {} {}", model::to_string(kind),
                        nanoseconds(what_if.overheads.beside_of(kind)));
    for (const model::PieceTimes& times : what_if.piece_times) {
      if (times.kind != kind || !what_if.overheads.beside_of(kind).measured) continue;
      text += fmt::format(" (measured: {:.0f} ns alone, {:.0f} ns beside it, {:.3f} times as long)",
                          times.alone_ns, times.beside_ns, times.beside_ns / times.alone_ns);
    }
    text += kind == what_if.kinds.back() ? "\n" : ";";
  }
  return text;
}

Json overhead_json(const model::Overhead& overhead) {
  return {{"ns", overhead.ns}, {"from_trace", overhead.measured}};
}

Json overheads_json(const model::Overheads& overheads) {
  Json json;
  for (const model::ScheduleKind kind : model::kScheduleKinds) {
    const std::string name(model::to_string(kind));
    json["piece"][name] = overhead_json(overheads.piece_of(kind));
    json["beside"][name] = overhead_json(overheads.beside_of(kind));
    json["phase"][name] = overhead_json(overheads.phase_of(kind));
  }
  json["barrier"] = overhead_json(overheads.barrier);
  json["steal"] = overhead_json(overheads.steal);
  json["look"] = overhead_json(overheads.look);
  return json;
}

/// A line per schedule, over what `value` gives of a prediction.
template <class Value>
viz::LineChart chart_of(const WhatIf& what_if, const std::string& title, Value value) {
  viz::LineChart chart;
  chart.x = {"workers", viz::Scale::kLog, std::nullopt, true};
  chart.y = {title, viz::Scale::kLog};
  for (const model::ScheduleKind kind : what_if.kinds) {
    viz::Series series{std::string(model::to_string(kind)), {}};
    for (const Prediction& prediction : what_if.predictions) {
      if (prediction.kind != kind) continue;
      series.points.push_back({static_cast<double>(prediction.workers), value(prediction)});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// A line without markers, over the numbers of workers.
template <class Value>
void add_line(viz::LineChart& chart, const WhatIf& what_if, const std::string& name, Value value) {
  viz::Series series{name, {}, false};
  for (const int workers : what_if.workers) {
    series.points.push_back({static_cast<double>(workers), value(workers)});
  }
  chart.series.push_back(std::move(series));
}

std::string caption(const WhatIf& what_if) {
  return fmt::format("Predicted from a trace: {}", recorded(what_if.trace));
}

std::vector<Column<Prediction>> columns_of(const WhatIf& what_if) {
  return {{"schedule", "schedule", "{}", [](auto& p) { return model::to_string(p.kind); }},
          {"workers", "workers", "{}", &Prediction::workers},
          {"seconds", "seconds", "{:.4g}", &Prediction::seconds},
          {"bound_s", "bound s", "{:.4g}", [&](auto& p) { return what_if.bounds.at(p.workers); }},
          {"speed_up", "speed-up", "{:.2f}", [&](auto& p) { return what_if.speed_up(p); }},
          {"speed_up_over_static", "over static, 1", "{:.2f}",
           [&](auto& p) { return what_if.speed_up_over_static(p); }},
          {"imbalance", "imbalance", "{:.3f}", &Prediction::imbalance},
          {"utilisation", "utilisation", "{:.3f}", &Prediction::utilisation},
          {"steals", "steals", "{}", &Prediction::steals}};
}

std::string csv_report(const WhatIf& what_if) {
  return table_of(columns_of(what_if), what_if.predictions, true).csv();
}

/// SVG: speed-up over workers, with what the bounds allow, and with perfect speed-up.
std::string speed_up_picture(const WhatIf& what_if) {
  viz::LineChart chart =
      chart_of(what_if, "speed-up over static on one worker",
               [&](const Prediction& p) { return what_if.speed_up_over_static(p); });
  add_line(chart, what_if, "bound: max(T1/P, Tinf)",
           [&](int workers) { return what_if.static_alone_s / what_if.bounds.at(workers); });
  add_line(chart, what_if, "ideal: P", [](int workers) { return static_cast<double>(workers); });
  const std::array charts = {std::move(chart)};
  return viz::draw_charts(charts,
                          {fmt::format("Predicted speed-up: case {}", what_if.trace.case_name),
                           caption(what_if), 560.0, 400.0});
}

/// SVG: imbalance, and speed-up per worker.
std::string efficiency_picture(const WhatIf& what_if) {
  const std::array charts = {
      chart_of(what_if, "imbalance: largest over mean work (1 is perfect)",
               [](const Prediction& p) { return p.imbalance; }),
      chart_of(what_if, "speed-up per worker (1 is perfect)",
               [&](const Prediction& p) { return what_if.speed_up_over_static(p) / p.workers; })};
  return viz::draw_charts(
      charts,
      {fmt::format("Predicted efficiency: case {}", what_if.trace.case_name), caption(what_if)});
}

std::string plain_report(const WhatIf& what_if) {
  std::string text = heading(what_if) + "\n";
  text +=
      fmt::format("work T1 {:.4g} s, critical path Tinf {:.4g} s, average parallelism {:.4g}\n",
                  what_if.bounds.work, what_if.bounds.critical_path, what_if.bounds.parallelism());
  text += overheads_text(what_if);
  if (what_if.trace.workers == 1) text += beside_text(what_if);
  text += disturbance_note(what_if.disturbed_share) + "\n";
  return text + table_of(columns_of(what_if), what_if.predictions, false).plain();
}

std::string json_report(const WhatIf& what_if) {
  const amr::Trace& trace = what_if.trace;
  Json json;
  json["case"] = trace.case_name;
  json["solver"] = trace.solver;
  json["recorded"] = {
      {"backend", trace.backend},      {"schedule", trace.schedule},
      {"workers", trace.workers},      {"base_steps", base_steps(trace)},
      {"pieces", trace.pieces.size()}, {"seconds", 1e-9 * static_cast<double>(trace.end_ns)}};
  json["seed"] = what_if.seed;
  json["work_s"] = what_if.bounds.work;
  json["critical_path_s"] = what_if.bounds.critical_path;
  json["average_parallelism"] = what_if.bounds.parallelism();
  json["disturbed_share"] = what_if.disturbed_share;
  json["overheads"] = overheads_json(what_if.overheads);
  json["piece_times"] = Json::array();
  for (const model::PieceTimes& times : what_if.piece_times) {
    json["piece_times"].push_back({{"schedule", model::to_string(times.kind)},
                                   {"alone_ns", times.alone_ns},
                                   {"beside_ns", times.beside_ns}});
  }
  json["static_one_worker_s"] = what_if.static_alone_s;
  json["predictions"] = Json::array();
  for (const Prediction& prediction : what_if.predictions) {
    Json& row = json["predictions"].emplace_back();
    for (const auto& column : columns_of(what_if)) row[column.name] = column.value(prediction);
  }
  return json.dump(2) + "\n";
}

constexpr std::array<SweepFile<WhatIf>, 4> kWhatIfFiles = {
    {{"simulate.csv", csv_report},
     {"simulate.json", json_report},
     {"speed_up.svg", speed_up_picture},
     {"efficiency.svg", efficiency_picture}}};

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
  std::uint64_t seed = 1;              ///< of what is drawn by chance
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
  *named->second = {.ns = *ns, .given = true};
}

/// Reads a trace by several workers, and notes what they cost each other.
void compare_with(const std::string& path, WhatIf& what_if) {
  const amr::Trace several = read_named_trace(path);
  try {
    const auto times = model::compare_pieces(what_if.trace, several, what_if.overheads);
    refuse_if(std::ranges::count(what_if.piece_times, times.kind, &model::PieceTimes::kind) > 0,
              "--beside {}: a trace of schedule '{}' was given before; give one of each at most",
              path, model::to_string(times.kind));
    what_if.piece_times.push_back(times);
  } catch (const std::invalid_argument& error) {
    refuse_if(true, "--beside {}: {}", path, error.what());
  }
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

/// What is asked of ranks; nothing without --ranks.
std::optional<RanksRequest> ranks_of(const SimulateRequest& request, bool tells_workers) {
  const SimulateRequest defaults;
  if (request.ranks.empty()) {
    refuse_if(request.network != defaults.network,
              "--network is only for predictions with --ranks; add --ranks");
    refuse_if(request.partition != defaults.partition,
              "--partition is only for predictions with --ranks; add --ranks");
    refuse_if(!request.replay.empty(),
              "--replay is only for predictions with --ranks; add --ranks");
    return {};
  }
  refuse_if(request.models != defaults.models,
            "--models: with --ranks only dataflow is predicted; leave --models out");
  std::vector<int> workers = {1};
  if (tells_workers) {
    workers = parse_counts("workers", request.workers, model::ScheduleModel::kMostWorkers);
  }
  refuse_if(workers.size() != 1, "--workers: with --ranks give one number, the workers of a rank");
  check_ranks_output(request);
  const std::vector<int> ranks = parse_counts("ranks", request.ranks, model::RankModel::kMostRanks);
  if (!request.replay.empty()) {
    refuse_if(ranks.size() != 1 || workers.front() != 1,
              "--replay needs one number of ranks, with one worker each");
    check_replay(request.replay, request.overwrite);
  }
  return RanksRequest{.ranks = ranks,
                      .workers = workers.front(),
                      .network_name = request.network,
                      .network = network_named(request.network),
                      .partition = static_cast<amr::PartitionKind>(
                          std::ranges::find(amr::kPartitionNames, request.partition) -
                          amr::kPartitionNames.begin()),
                      .seed = request.seed,
                      .replay = request.replay,
                      .json = request.json};
}

int simulate(const SimulateRequest& request) {
  const bool tells_workers = request.workers != SimulateRequest().workers;
  const std::optional<RanksRequest> ranks = ranks_of(request, tells_workers);
  WhatIf what_if;
  what_if.seed = request.seed;
  what_if.kinds = chosen_kinds(request.models);
  if (!ranks) {
    what_if.workers = parse_counts("workers", tells_workers ? request.workers : "1..1024",
                                   model::ScheduleModel::kMostWorkers);
    check_sweep_files(request.output, kWhatIfFiles, request.overwrite, "predictions");
  }
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
  if (ranks) {
    simulate_ranks(what_if.trace, what_if.overheads, *ranks, request);
    return kDone;
  }
  predict(what_if);
  write_sweep_files(request.output, kWhatIfFiles, what_if);
  if (request.json) {
    fmt::print("{}", json_report(what_if));
  } else {
    print_found(request.output, {}, plain_report(what_if));
  }
  return kDone;
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
  return [request] { return simulate(*request); };
}

}  // namespace kumiko::app
