#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/summary.hpp>

#include "checkpoint/run_json.hpp"
#include "run/rank_record.hpp"

namespace kumiko::io {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// The name of the imbalance in earlier summaries.
constexpr const char* kEarlierImbalance = "balance_efficiency";

/// The errors, which may be unknown, and extremes of all components or of one.
Json error_json(const amr::ErrorNorms* errors, const amr::FieldFigures& field) {
  const auto known = [&](double amr::ErrorNorms::*norm) {
    return errors ? Json(errors->*norm) : Json();
  };
  return {{"rms", known(&amr::ErrorNorms::rms)},
          {"l1_relative", known(&amr::ErrorNorms::l1_relative)},
          {"l1", known(&amr::ErrorNorms::l1)},
          {"linf", known(&amr::ErrorNorms::linf)},
          {"min", field.minimum},
          {"max", field.maximum}};
}

Json components_json(const RunSummary& summary) {
  Json json = Json::object();
  for (std::size_t at = 0; at < summary.field.components.size(); ++at) {
    const amr::FieldFigures& field = summary.field.components[at];
    Json& component = json[summary.component_names.at(at)];
    component = error_json(summary.errors ? &summary.errors->components.at(at) : nullptr, field);
    component["mass"] = field.mass;
    component["mass_drift"] = or_null(summary.mass_drifts.at(at));
  }
  return json;
}

/// A member of an object, which is made if it is not there. The latest one, which sorted keys ask
/// for most, is found at once.
Json& member(Json& object, const std::string& name) {
  if (object.is_object() && !object.empty()) {
    auto& latest = object.get_ref<Json::object_t&>().back();
    if (latest.first == name) return latest.second;
  }
  return object[name];
}

/// Puts a value at its dotted key, making the tables on the way.
void insert(Json& table, std::string_view key, const amr::ParameterValue& value) {
  Json* place = &table;
  std::string_view rest = key;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    place = &member(*place, std::string(rest.substr(0, dot)));
    rest.remove_prefix(dot + 1);
    amr::ensure(place->is_null() || place->is_object(), "configuration key '{}' lies below a value",
                key);
  }
  Json& slot = member(*place, std::string(rest));
  amr::ensure(slot.is_null(), "configuration key '{}' is a table", key);
  std::visit([&](const auto& plain) { slot = plain; }, value);
}

/// The patches of waits by name.
Json waits_json(const std::vector<amr::PatchWait>& waits) {
  Json json = waits;
  for (std::size_t at = 0; at < waits.size(); ++at) {
    json[at]["patch"] = amr::to_string(waits[at].patch);
    json[at]["awaited"] = amr::to_string(waits[at].awaited);
  }
  return json;
}

}  // namespace

std::optional<double> RunSummary::mass_drift() const {
  std::optional<double> farthest;
  for (const std::optional<double>& drift : mass_drifts) {
    if (drift && (!farthest || std::abs(*drift) > std::abs(*farthest))) farthest = drift;
  }
  return farthest;
}

Json config_json(const amr::ParameterSet& config) {
  Json json = Json::object();
  for (const auto& [key, value] : config.values()) insert(json, key, value);
  return json;
}

Json to_json(const RunSummary& summary) {
  Json json;
  json["case"] = summary.case_name;
  json["solver"] = summary.solver;
  json["backend"] = summary.backend;
  json["workers"] = summary.workers;
  json["schedule"] = summary.schedule;
  json["steps"] = summary.steps;
  json["time"] = summary.time;
  json["end_time"] = summary.end_time;
  json["largest_cfl"] = summary.work.largest_cfl;
  json["wall_s"] = summary.wall_s;
  json["error"] = error_json(summary.errors ? &*summary.errors : nullptr, summary.field);
  if (!summary.field.components.empty()) json["components"] = components_json(summary);
  json["mass_drift"] = or_null(summary.mass_drift());
  json["open_domain"] = summary.open_domain;
  json["updates"] = {{"total", summary.work.updates()},
                     {"per_level", summary.work.updates_per_level},
                     {"fraction_of_uniform", summary.fraction_of_uniform}};
  json["updates_per_core_s"] = or_null(summary.updates_per_core_s);
  json["imbalance"] = summary.work.imbalance();
  json[kEarlierImbalance] = summary.work.imbalance();
  json["steals"] = summary.work.total().steals;
  json["load"] = summary.work.workers;
  json["longest_waits"] = waits_json(summary.work.longest_waits);
  json["memory"] = {{"bytes_per_point", summary.memory.bytes_per_point()},
                    {"patch_bytes", summary.memory.patch_bytes},
                    {"metadata_bytes", summary.memory.metadata_bytes},
                    {"points", summary.memory.points}};
  json["patches"] = {{"per_level", summary.patches_per_level},
                     {"unnested", summary.unnested_patches},
                     {"regrids", summary.work.regrids}};
  json["peak_rss_bytes"] = summary.peak_rss_bytes;
  if (!summary.ranks.empty()) {
    json["ranks"] = summary.ranks;
    json["moved_patches"] = summary.moved_patches;
  }
  json["state_hash"] = summary.state_hash;
  if (summary.begun_from) json["begun_from"] = to_json(*summary.begun_from);
  json.update(summary.origin);
  json["config"] = config_json(summary.config);
  return json;
}

void read_work(const Json& summary, amr::WorkCounters& work) {
  const auto today = summary.find("imbalance");
  const auto imbalance =
      to_number<double>(today != summary.end() ? *today : summary.at(kEarlierImbalance));
  auto loads = summary.at("load").get<std::vector<amr::WorkerLoad>>();
  amr::WorkerLoad all;
  for (const amr::WorkerLoad& load : loads) all += load;
  const auto workers = static_cast<double>(std::max<std::size_t>(loads.size(), 1));
  work.sum_of_means = static_cast<double>(all.updates) / workers;
  work.sum_of_largest = static_cast<std::uint64_t>(std::llround(imbalance * work.sum_of_means));
  work.workers = std::move(loads);
}

namespace {

rusage use_of_resources() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace

std::uint64_t peak_rss_bytes() {
  constexpr std::uint64_t kKibibyte = 1024;  // the unit of ru_maxrss on Linux
  return static_cast<std::uint64_t>(use_of_resources().ru_maxrss) * kKibibyte;
}

std::uint64_t preemptions() { return static_cast<std::uint64_t>(use_of_resources().ru_nivcsw); }

}  // namespace kumiko::io
