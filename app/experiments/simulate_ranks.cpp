#include "experiments/simulate_ranks.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/read_number.hpp>

#include "experiments/laboratory.hpp"
#include "experiments/sweep.hpp"
#include "experiments/trace_text.hpp"
#include "terminal/counted.hpp"
#include "terminal/text_table.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The prediction for a number of ranks, and the cost that limits it.
struct RanksRow {
  model::RankPrediction prediction;
  std::string_view binds;
};

struct RanksFound {
  const amr::Trace& trace;
  const RanksRequest& request;
  model::WorkBounds bounds;
  double alone_s = 0.0;  ///< one rank
  std::vector<RanksRow> rows;

  std::string partition() const {
    return std::string(amr::kPartitionNames[static_cast<std::size_t>(request.partition)]);
  }
  double speed_up(const RanksRow& row) const { return alone_s / row.prediction.seconds; }
  double efficiency(const RanksRow& row) const { return speed_up(row) / row.prediction.ranks; }
  double per_step(std::uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(base_steps(trace));
  }
};

/// The cost that takes the largest part of the time; if none takes a tenth, "work" or "chain": all
/// workers work, or wait for a chain of pieces.
std::string_view what_binds(const RanksFound& found, const model::RankModel& model,
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
  const double workers = static_cast<double>(prediction.ranks) * options.workers;
  const std::pair<std::string_view, double> costs[] = {
      {"CPU per message", gained_by(no_cpu)},
      {"network", gained_by(no_wire)},
      {"regrid", prediction.alike_seconds},
      {"balance", (prediction.imbalance - 1.0) * found.bounds.work / workers}};
  const auto* const largest =
      std::ranges::max_element(costs, {}, [](auto& cost) { return cost.second; });
  if (largest->second > kCounts * prediction.seconds) return largest->first;
  const double work = found.bounds.work / workers;
  return work >= found.bounds.critical_path ? "work" : "chain";
}

std::vector<Column<RanksRow>> columns_of(const RanksFound& found) {
  return {{"ranks", "ranks", "{}", [](auto& row) { return row.prediction.ranks; }},
          {"workers", "workers", "{}", [&](auto&) { return found.request.workers; }},
          {"seconds", "seconds", "{:.4g}", [](auto& row) { return row.prediction.seconds; }},
          {"speed_up", "speed-up", "{:.2f}", [&](auto& row) { return found.speed_up(row); }},
          {"efficiency", "efficiency", "{:.3f}", [&](auto& row) { return found.efficiency(row); }},
          {"utilisation", "utilisation", "{:.3f}",
           [](auto& row) { return row.prediction.utilisation; }},
          {"imbalance", "imbalance", "{:.3f}", [](auto& row) { return row.prediction.imbalance; }},
          {"messages_per_step", "messages/step", "{:.0f}",
           [&](auto& row) { return found.per_step(row.prediction.messages); }},
          {"edges_per_step", "edges/step", "{:.0f}",
           [&](auto& row) { return found.per_step(row.prediction.edges); }},
          {"bytes_per_step", "bytes/step", "{:.0f}",
           [&](auto& row) { return found.per_step(row.prediction.bytes); }},
          {"regrid_share", "regrid", "{:.3f}",
           [](auto& row) { return row.prediction.regrid_seconds / row.prediction.seconds; }},
          {"moved_patches", "moved", "{}", [](auto& row) { return row.prediction.moved_patches; }},
          {"binds", "what binds", "{}", [](auto& row) { return row.binds; }}};
}

std::string csv_report(const RanksFound& found) {
  return table_of(columns_of(found), found.rows, true).csv();
}

std::string network_text(const model::Network& network) {
  return fmt::format(
      "{:g} ns of a core for a message and {:g} for each thing in it, at each end; latency {:g} "
      "ns, gap {:g} ns, {:g} ns a byte",
      network.overhead, network.item, network.latency, network.gap, network.per_byte);
}

std::string plain_report(const RanksFound& found) {
  const amr::Trace& trace = found.trace;
  const std::string recorded = fmt::format("{}, {}", counted(trace.workers, "worker"),
                                           counted(base_steps(trace), "base step"));
  std::string text = trace_heading(trace, recorded) + "\n";
  text += fmt::format("work {:.4g} s, critical path {:.4g} s; partition {}\n", found.bounds.work,
                      found.bounds.critical_path, found.partition());
  text += fmt::format("network {}: {}\n", found.request.network_name,
                      network_text(found.request.network));
  text += disturbance_note(model::disturbed_share(trace)) + "\n";
  text += table_of(columns_of(found), found.rows, false).plain();
  const auto best = std::ranges::min_element(
      found.rows, {}, [](const RanksRow& row) { return row.prediction.seconds; });
  if (found.rows.size() > 1 && best->prediction.ranks < found.rows.back().prediction.ranks) {
    text += fmt::format("\nnote: more than {} would be slower\n",
                        counted(best->prediction.ranks, "rank"));
  }
  return text;
}

std::string json_report(const RanksFound& found) {
  Json json;
  json["case"] = found.trace.case_name;
  json["solver"] = found.trace.solver;
  json["base_steps"] = base_steps(found.trace);
  json["work_s"] = found.bounds.work;
  json["critical_path_s"] = found.bounds.critical_path;
  json["partition"] = found.partition();
  json["workers"] = found.request.workers;
  json["network"] = {
      {"name", found.request.network_name},    {"overhead_ns", found.request.network.overhead},
      {"item_ns", found.request.network.item}, {"latency_ns", found.request.network.latency},
      {"gap_ns", found.request.network.gap},   {"ns_per_byte", found.request.network.per_byte}};
  json["predictions"] = Json::array();
  for (const RanksRow& row : found.rows) {
    Json& entry = json["predictions"].emplace_back();
    for (const auto& column : columns_of(found)) entry[column.name] = column.value(row);
  }
  return json.dump(2) + "\n";
}

constexpr std::array<SweepFile<RanksFound>, 2> kRanksFiles = {
    {{"ranks.csv", csv_report}, {"ranks.json", json_report}}};

/// Names the files of all ranks, in their order.
constexpr const char* kReplayFile = "ranks.txt";

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

void check_ranks_output(const OutputRequest& output) {
  check_sweep_files(output.output, kRanksFiles, output.overwrite, "predictions");
  check_sweep_file(output.output, "ranks.svg", output.overwrite, "predictions");
}

void check_replay(const fs::path& folder, bool overwrite) {
  check_for<RequestError>(
      "--replay", [&] { check_sweep_file(folder, kReplayFile, overwrite, "actions of ranks"); });
}

void simulate_ranks(const amr::Trace& trace, const model::Overheads& overheads,
                    const RanksRequest& request, const OutputRequest& output) {
  const model::RankOptions options{.workers = request.workers,
                                   .network = request.network,
                                   .partition = request.partition,
                                   .seed = request.seed};
  RanksFound found{.trace = trace,
                   .request = request,
                   .bounds = model::ScheduleModel(trace, overheads).bounds(),
                   .rows = {}};
  const model::RankModel model(trace, overheads);
  found.alone_s = model.predict(1, options).seconds;
  for (const int ranks : request.ranks) {
    const model::RankPrediction prediction = model.predict(ranks, options);
    found.rows.push_back({prediction, what_binds(found, model, options, prediction)});
  }
  if (!request.replay.empty()) {
    write_actions(request.replay, model.actions(request.ranks.front(), options));
  }
  write_sweep_files(output.output, kRanksFiles, found);
  if (!output.output.empty()) {
    fs::remove(output.output / "ranks.svg");
    draw_predictions(output.output, "ranks");
  }
  if (request.json) return fmt::print("{}", json_report(found));
  print_found(output.output, plain_report(found));
}

}  // namespace kumiko::app
