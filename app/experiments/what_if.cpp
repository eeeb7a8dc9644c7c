#include "experiments/what_if.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

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

Json recorded_json(const amr::Trace& trace) {
  std::int64_t base_steps = 0;
  for (const amr::TraceWindow& window : trace.windows) base_steps += window.steps;
  return {{"backend", trace.backend},      {"schedule", trace.schedule},
          {"workers", trace.workers},      {"base_steps", base_steps},
          {"pieces", trace.pieces.size()}, {"seconds", 1e-9 * static_cast<double>(trace.end_ns)}};
}

}  // namespace

Json found_in_trace(const WhatIf& what_if) {
  const amr::Trace& trace = what_if.trace;
  const model::WorkBounds bounds = model::ScheduleModel(trace, what_if.overheads).bounds();
  Json found = {{"case", trace.case_name},
                {"solver", trace.solver},
                {"recorded", recorded_json(trace)},
                {"seed", what_if.seed},
                {"work_s", bounds.work},
                {"critical_path_s", bounds.critical_path},
                {"average_parallelism", bounds.parallelism()},
                {"disturbed_share", model::disturbed_share(trace)},
                {"overheads", overheads_json(what_if.overheads)},
                {"piece_times", Json::array()}};
  for (const model::PieceTimes& times : what_if.piece_times) {
    found["piece_times"].push_back({{"schedule", model::to_string(times.kind)},
                                    {"alone_ns", times.alone_ns},
                                    {"beside_ns", times.beside_ns}});
  }
  return found;
}

void predict_workers(const WhatIf& what_if, const std::vector<model::ScheduleKind>& kinds,
                     const std::vector<int>& workers, Json& found) {
  const model::ScheduleModel model(what_if.trace, what_if.overheads, what_if.seed);
  for (const model::ScheduleKind kind : model::kScheduleKinds) {
    found["one_worker_s"][std::string(model::to_string(kind))] = model.predict(kind, 1).seconds;
  }
  for (const model::ScheduleKind kind : kinds) {
    for (const int count : workers) {
      const model::Prediction prediction = model.predict(kind, count);
      found["predictions"].push_back({{"schedule", model::to_string(kind)},
                                      {"workers", count},
                                      {"seconds", prediction.seconds},
                                      {"imbalance", prediction.imbalance},
                                      {"utilisation", prediction.utilisation},
                                      {"steals", prediction.steals}});
    }
  }
}

}  // namespace kumiko::app
