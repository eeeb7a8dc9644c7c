#include "experiments/what_if.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/read_number.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;
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

/// The cost that takes the largest part of the time; if none takes a tenth, "work" or "chain": all
/// workers work, or wait for a chain of pieces.
std::string_view what_binds(const Json& found, const model::RankModel& model,
                            const model::RankOptions& options,
                            const model::RankPrediction& prediction) {
  constexpr double kCounts = 0.1;
  // All time between windows is a regrid's.
  const auto in_windows = [](const model::RankPrediction& of) {
    return of.seconds - of.regrid_seconds;
  };
  const auto gained_by = [&](const model::Network& network) {
    model::RankOptions other = options;
    other.network = network;
    return in_windows(prediction) - in_windows(model.predict(prediction.ranks, other));
  };
  model::Network no_cpu = options.network;
  no_cpu.overhead = no_cpu.item = 0.0;
  model::Network no_wire = options.network;
  no_wire.latency = no_wire.gap = no_wire.per_byte = 0.0;
  const double work =
      found["work_s"].get<double>() / (static_cast<double>(prediction.ranks) * options.workers);
  const std::pair<std::string_view, double> costs[] = {
      {"CPU per message", gained_by(no_cpu)},
      {"network", gained_by(no_wire)},
      {"regrid", prediction.alike_seconds},
      {"balance", (prediction.imbalance - 1.0) * work}};
  const auto* const largest =
      std::ranges::max_element(costs, {}, [](auto& cost) { return cost.second; });
  if (largest->second > kCounts * prediction.seconds) return largest->first;
  return work >= found["critical_path_s"].get<double>() ? "work" : "chain";
}

/// Writes the actions of each rank into a file of its own.
void write_actions(const fs::path& folder, const std::vector<std::string>& actions) {
  fs::create_directories(folder);
  std::string files;
  for (std::size_t rank = 0; rank < actions.size(); ++rank) {
    const fs::path file = fs::absolute(folder) / fmt::format("rank_{}.txt", rank);
    io::write_text_file(file, actions[rank]);
    files += file.string() + "\n";
  }
  // Those of an earlier replay of more ranks.
  for (std::size_t rank = actions.size(); fs::remove(folder / fmt::format("rank_{}.txt", rank));
       ++rank) {
  }
  io::write_text_file(folder / kReplayFile, files);
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

model::Network network_named(const std::string& text) {
  std::vector<std::string_view> names;
  for (const model::NamedNetwork& named : model::kNetworks) {
    if (named.name == text) return named.network;
    names.push_back(named.name);
  }
  std::array<double, 4> numbers{};
  std::size_t count = 0;
  bool is_right = true;
  for (std::size_t begin = 0; begin <= text.size(); ++count) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = io::read_number<double>(std::string_view(text).substr(begin, end - begin));
    is_right = is_right && count < numbers.size() && number && *number >= 0.0 && *number <= 1e9;
    if (is_right) numbers[count] = *number;
    begin = end + 1;
  }
  refuse_if(!is_right || count != numbers.size(),
            "--network: '{}' is not a network; give {}, or OVERHEAD,LATENCY,GAP,PER_BYTE in "
            "nanoseconds, such as 400,1500,200,0.08",
            text, fmt::join(names, ", "));
  return {.overhead = numbers[0], .latency = numbers[1], .gap = numbers[2], .per_byte = numbers[3]};
}

void predict_ranks(const WhatIf& what_if, const RanksRequest& request, Json& found) {
  const model::RankOptions& options = request.options;
  const model::RankModel model(what_if.trace, what_if.overheads);
  found["partition"] = amr::kPartitionNames[static_cast<std::size_t>(options.partition)];
  found["workers"] = options.workers;
  found["network"] = {{"name", request.network_name},    {"overhead_ns", options.network.overhead},
                      {"item_ns", options.network.item}, {"latency_ns", options.network.latency},
                      {"gap_ns", options.network.gap},   {"ns_per_byte", options.network.per_byte}};
  found["one_rank_s"] = model.predict(1, options).seconds;
  for (const int ranks : request.ranks) {
    const model::RankPrediction prediction = model.predict(ranks, options);
    found["predictions"].push_back({{"ranks", ranks},
                                    {"seconds", prediction.seconds},
                                    {"utilisation", prediction.utilisation},
                                    {"imbalance", prediction.imbalance},
                                    {"messages", prediction.messages},
                                    {"edges", prediction.edges},
                                    {"bytes", prediction.bytes},
                                    {"regrid_s", prediction.regrid_seconds},
                                    {"moved_patches", prediction.moved_patches},
                                    {"binds", what_binds(found, model, options, prediction)}});
  }
  if (!request.replay.empty()) {
    write_actions(request.replay, model.actions(request.ranks.front(), options));
  }
}

}  // namespace kumiko::app
