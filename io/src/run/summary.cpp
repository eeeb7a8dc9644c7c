#include <stdexcept>
#include <string_view>
#include <variant>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <kumiko/io/summary.hpp>

#include "text/load_json.hpp"

namespace kumiko::io {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// The errors and extremes of a RunSummary or a ComponentSummary.
template <class Summary>
Json error_json(const Summary& summary) {
  Json json;
  json["rms"] = or_null(summary.rms);
  json["l1_relative"] = or_null(summary.l1_relative);
  json["l1"] = or_null(summary.l1);
  json["linf"] = or_null(summary.linf);
  json["min"] = summary.minimum;
  json["max"] = summary.maximum;
  return json;
}

Json components_json(const RunSummary& summary) {
  Json json = Json::object();
  for (const ComponentSummary& component : summary.components) {
    json[component.name] = error_json(component);
    json[component.name]["mass"] = component.mass;
  }
  return json;
}

Json updates_json(const RunSummary& summary) {
  Json json;
  json["total"] = summary.updates_total;
  json["per_level"] = summary.updates_per_level;
  json["fraction_of_uniform"] = summary.fraction_of_uniform;
  return json;
}

Json waits_json(const RunSummary& summary) {
  Json json = Json::array();
  for (const amr::PatchWait& wait : summary.longest_waits) {
    json.push_back({{"seconds", wait.seconds},
                    {"step", wait.step},
                    {"worker", wait.worker},
                    {"cause", amr::to_string(wait.cause)},
                    {"patch", amr::to_string(wait.patch)},
                    {"awaited", amr::to_string(wait.awaited)}});
  }
  return json;
}

Json memory_json(const RunSummary& summary) {
  return {{"bytes_per_point", summary.memory.bytes_per_point()},
          {"patch_bytes", summary.memory.patch_bytes},
          {"metadata_bytes", summary.memory.metadata_bytes},
          {"points", summary.memory.points}};
}

/// Puts a value at its dotted key, making the tables on the way.
void insert(Json& table, std::string_view key, const amr::ParameterValue& value) {
  Json* place = &table;
  std::string_view rest = key;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    place = &(*place)[std::string(rest.substr(0, dot))];
    rest.remove_prefix(dot + 1);
    if (!place->is_null() && !place->is_object()) {
      throw std::logic_error(fmt::format("configuration key '{}' lies below a value", key));
    }
  }
  Json& slot = (*place)[std::string(rest)];
  if (!slot.is_null())
    throw std::logic_error(fmt::format("configuration key '{}' is a table", key));
  std::visit([&](const auto& plain) { slot = plain; }, value);
}

Json config_json(const RunSummary& summary) {
  Json json = Json::object();
  for (const auto& [key, value] : summary.config) insert(json, key, value);
  return json;
}

}  // namespace

Json to_json(const RunSummary& summary) {
  Json json;
  json["case"] = summary.case_name;
  json["solver"] = summary.solver;
  json["backend"] = summary.backend;
  json["workers"] = summary.workers;
  json["schedule"] = summary.schedule;
  json["steps"] = summary.steps;
  json["wall_s"] = summary.wall_s;
  json["error"] = error_json(summary);
  if (!summary.components.empty()) json["components"] = components_json(summary);
  json["mass_drift"] = or_null(summary.mass_drift);
  json["open_domain"] = summary.open_domain;
  json["updates"] = updates_json(summary);
  json["updates_per_core_s"] = or_null(summary.updates_per_core_s);
  json["balance_efficiency"] = summary.balance_efficiency;
  json["steals"] = summary.steals;
  json["load"] = load_json(summary.load);
  json["longest_waits"] = waits_json(summary);
  json["memory"] = memory_json(summary);
  json["patches"] = {{"per_level", summary.patches_per_level},
                     {"unnested", summary.unnested_patches},
                     {"regrids", summary.regrids}};
  json["peak_rss_bytes"] = summary.peak_rss_bytes;
  json["state_hash"] = summary.state_hash;
  json["host"] = summary.origin.host;
  json["cpu"] = summary.origin.cpu;
  json["date"] = summary.origin.date;
  json["version"] = summary.origin.version;
  json["compiler"] = summary.origin.compiler;
  json["config"] = config_json(summary);
  return json;
}

std::uint64_t peak_rss_bytes() {
  constexpr std::uint64_t kKibibyte = 1024;  // the unit of ru_maxrss on Linux
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte;
}

}  // namespace kumiko::io
