#include "experiments/what_if.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/viz/line_chart.hpp>

#include "counted.hpp"
#include "text_table.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

/// Of the recorded time: what is worth a note.
constexpr double kDisturbed = 0.02;

std::size_t base_steps(const amr::Trace& trace) {
  std::size_t steps = 0;
  for (const amr::TraceStretch& stretch : trace.stretches) {
    steps += static_cast<std::size_t>(stretch.steps);
  }
  return steps;
}

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
  return fmt::format("{:.0f} ns{}", overhead.ns, overhead.measured ? "" : " (assumed)");
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

Json overhead_json(const model::Overhead& overhead) {
  return {{"ns", overhead.ns}, {"from_trace", overhead.measured}};
}

Json overheads_json(const model::Overheads& overheads) {
  Json json;
  for (const model::ScheduleKind kind : model::kScheduleKinds) {
    const std::string name(model::to_string(kind));
    json["piece"][name] = overhead_json(overheads.piece_of(kind));
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
    for (const model::Prediction& prediction : what_if.predictions) {
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

std::string csv_report(const WhatIf& what_if) {
  std::string text =
      "schedule,workers,seconds,bound_s,speed_up,speed_up_over_static,balance_efficiency,"
      "utilisation,steals\n";
  for (const model::Prediction& prediction : what_if.predictions) {
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", model::to_string(prediction.kind),
                    prediction.workers, prediction.seconds, what_if.bounds.at(prediction.workers),
                    what_if.speed_up(prediction), what_if.speed_up_over_static(prediction),
                    prediction.balance_efficiency, prediction.utilisation, prediction.steals);
  }
  return text;
}

/// SVG: speed-up over workers, with what the bounds allow, and with perfect speed-up.
std::string speed_up_picture(const WhatIf& what_if) {
  viz::LineChart chart =
      chart_of(what_if, "speed-up over static on one worker",
               [&](const model::Prediction& p) { return what_if.speed_up_over_static(p); });
  add_line(chart, what_if, "bound: max(T1/P, Tinf)",
           [&](int workers) { return what_if.static_alone_s / what_if.bounds.at(workers); });
  add_line(chart, what_if, "ideal: P", [](int workers) { return static_cast<double>(workers); });
  const std::array charts = {std::move(chart)};
  return viz::draw_charts(charts,
                          {fmt::format("Predicted speed-up: case {}", what_if.trace.case_name),
                           caption(what_if), 560.0, 400.0});
}

/// SVG: load-balance efficiency, and speed-up per worker.
std::string efficiency_picture(const WhatIf& what_if) {
  const std::array charts = {
      chart_of(what_if, "load-balance efficiency (1 is perfect, more is worse)",
               [](const model::Prediction& p) { return p.balance_efficiency; }),
      chart_of(what_if, "speed-up per worker (1 is perfect)", [&](const model::Prediction& p) {
        return what_if.speed_up_over_static(p) / p.workers;
      })};
  return viz::draw_charts(
      charts,
      {fmt::format("Predicted efficiency: case {}", what_if.trace.case_name), caption(what_if)});
}

}  // namespace

double WhatIf::speed_up(const model::Prediction& prediction) const {
  const auto same = std::ranges::find(alone, prediction.kind, &model::Prediction::kind);
  return same == alone.end() ? 0.0 : same->seconds / prediction.seconds;
}

std::string plain_report(const WhatIf& what_if) {
  std::string text = heading(what_if) + "\n";
  text +=
      fmt::format("work T1 {:.4g} s, critical path Tinf {:.4g} s, average parallelism {:.4g}\n",
                  what_if.bounds.work, what_if.bounds.critical_path, what_if.bounds.parallelism());
  text += overheads_text(what_if);
  if (what_if.disturbed_share > kDisturbed) {
    text += fmt::format(
        "note: {:.0f} % of the pieces' time is in pieces that took more than 20 times as long as "
        "usual; was the machine busy? Record the trace anew\n",
        100.0 * what_if.disturbed_share);
  }
  text += "\n";
  TextTable table({"schedule", "workers", "seconds", "bound s", "speed-up", "over static, 1",
                   "balance", "utilisation", "steals"});
  for (const model::Prediction& prediction : what_if.predictions) {
    table.add({std::string(model::to_string(prediction.kind)),
               fmt::format("{}", prediction.workers), fmt::format("{:.4g}", prediction.seconds),
               fmt::format("{:.4g}", what_if.bounds.at(prediction.workers)),
               fmt::format("{:.2f}", what_if.speed_up(prediction)),
               fmt::format("{:.2f}", what_if.speed_up_over_static(prediction)),
               fmt::format("{:.3f}", prediction.balance_efficiency),
               fmt::format("{:.3f}", prediction.utilisation),
               fmt::format("{}", prediction.steals)});
  }
  return text + table.plain();
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
  json["static_one_worker_s"] = what_if.static_alone_s;
  json["predictions"] = Json::array();
  for (const model::Prediction& prediction : what_if.predictions) {
    json["predictions"].push_back(
        {{"schedule", model::to_string(prediction.kind)},
         {"workers", prediction.workers},
         {"seconds", prediction.seconds},
         {"bound_s", what_if.bounds.at(prediction.workers)},
         {"speed_up", what_if.speed_up(prediction)},
         {"speed_up_over_static", what_if.speed_up_over_static(prediction)},
         {"balance_efficiency", prediction.balance_efficiency},
         {"utilisation", prediction.utilisation},
         {"steals", prediction.steals}});
  }
  return json.dump(2) + "\n";
}

const std::array<SweepFile<WhatIf>, 4> kWhatIfFiles = {{{"simulate.csv", csv_report},
                                                        {"simulate.json", json_report},
                                                        {"speed_up.svg", speed_up_picture},
                                                        {"efficiency.svg", efficiency_picture}}};

}  // namespace kumiko::app
