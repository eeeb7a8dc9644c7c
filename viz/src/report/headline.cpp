#include "headline.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace kumiko::viz::report {

namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string key;
  std::string label;
  std::string format;  ///< text, count, seconds, number, percent, bytes, list
};

const std::array<Row, 35> kRows = {{
    {"/case", "Case", "text"},
    {"/solver", "Solver", "text"},
    {"/backend", "Backend", "text"},
    {"/schedule", "Schedule", "text"},
    {"/workers", "Workers", "count"},
    {"/steps", "Base steps", "count"},
    {"/wall_s", "Wall time of the steps", "seconds"},
    {"/error/rms", "RMS error", "number"},
    {"/error/l1_relative", "Relative L1 error", "number"},
    {"/error/linf", "Largest error", "number"},
    {"/error/min", "Smallest value", "number"},
    {"/error/max", "Largest value", "number"},
    {"/mass_drift", "Mass drift over the initial integral of |u|", "number"},
    {"/updates/total", "Point updates", "count"},
    {"/updates/per_level", "Point updates, level 0, 1, …", "list"},
    {"/updates/fraction_of_uniform", "Of the uniform finest grid’s updates", "percent"},
    {"/updates_per_core_s", "Point updates per core and second", "number"},
    {"/imbalance", "Imbalance: largest over mean work (1 is perfect)", "number"},
    {"/steals", "Steals", "count"},
    {"/patches/per_level", "Patches at the end, level 0, 1, …", "list"},
    {"/patches/unnested", "Tagged patches left out at the last regrid, as they would not nest",
     "count"},
    {"/patches/regrids", "Regrids", "count"},
    {"/memory/bytes_per_point", "Memory per point", "bytes"},
    {"/peak_rss_bytes", "Largest resident memory", "bytes"},
    {"/state_hash", "Hash of the final state", "text"},
    {"/begun_from/file", "Begun with a state", "text"},
    {"/begun_from/case", "Case of that state", "text"},
    {"/begun_from/step", "Base step of that state", "count"},
    {"/begun_from/time", "Time of that state", "number"},
    {"/begun_from/mass_change", "Change of its mass on the run’s grid, over its integral of |u|",
     "number"},
    {"/date", "Begun, or gone on (UTC)", "text"},
    {"/host", "Host", "text"},
    {"/cpu", "Processor", "text"},
    {"/version", "Kumiko", "text"},
    {"/compiler", "Compiler", "text"},
}};

/// Rows of single components, where runs have several.
std::vector<Row> component_rows(std::span<const ReportRun> runs) {
  std::set<std::string> names;
  for (const ReportRun& run : runs) {
    const Json components = run.folder.summary->value("components", Json::object());
    for (const auto& [name, figures] : components.items()) names.insert(name);
  }
  std::vector<Row> rows;
  for (const std::string& name : names) {
    // Names may hold what means something in a key.
    const Json::json_pointer key = Json::json_pointer("/components") / name;
    rows.push_back({(key / "rms").to_string(), "RMS error of " + name, "number"});
    rows.push_back({(key / "mass").to_string(), "Mass of " + name, "number"});
    rows.push_back({(key / "mass_drift").to_string(), "Mass drift of " + name, "number"});
  }
  return rows;
}

/// The label of a row. In an open domain mass is not conserved, so its drift is called a change.
std::string label_of(const Row& row, std::span<const ReportRun> runs) {
  constexpr std::string_view kDrift = "Mass drift";
  const bool is_open = std::ranges::any_of(runs, [](const ReportRun& run) {
    const Json& summary = *run.folder.summary;
    return summary.contains("open_domain") && summary.at("open_domain") == true;
  });
  if (!is_open || !row.label.starts_with(kDrift)) return row.label;
  return "Mass change" + row.label.substr(kDrift.size());
}

void add(Json& table, const Row& row, std::span<const ReportRun> runs) {
  const Json::json_pointer key(row.key);
  Json values = Json::array();
  for (const ReportRun& run : runs) {
    const Json& summary = *run.folder.summary;
    values.push_back(summary.contains(key) ? summary.at(key) : Json());
  }
  if (std::ranges::all_of(values, &Json::is_null)) return;
  table.push_back({{"key", row.key.substr(1)},
                   {"label", label_of(row, runs)},
                   {"format", row.format},
                   {"values", std::move(values)}});
}

}  // namespace

Json headline_json(std::span<const ReportRun> runs) {
  Json table = Json::array();
  for (const Row& row : kRows) add(table, row, runs);
  for (const Row& row : component_rows(runs)) add(table, row, runs);
  return table;
}

}  // namespace kumiko::viz::report
