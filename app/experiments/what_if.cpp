#include "experiments/what_if.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "experiments/trace_text.hpp"
#include "terminal/counted.hpp"
#include "terminal/text_table.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;
using model::Prediction;

/// The backend, schedule and size of the run that the trace was recorded from.
std::string recorded(const amr::Trace& trace) {
  return fmt::format("backend {}, schedule {}, {}, {}, {}", trace.backend, trace.schedule,
                     counted(trace.workers, "worker"), counted(base_steps(trace), "base step"),
                     counted(trace.pieces.size(), "piece"));
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

/// A line about the cost that a second worker adds to a piece, by schedule.
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

}  // namespace

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

std::string plain_report(const WhatIf& what_if) {
  std::string text = trace_heading(what_if.trace, recorded(what_if.trace)) + "\n";
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

const std::array<SweepFile<WhatIf>, 2> kWhatIfFiles = {
    {{"simulate.csv", csv_report}, {"simulate.json", json_report}}};

}  // namespace kumiko::app
