// The parts that summaries and sidecars have in common, as JSON.
#pragma once

#include <span>

#include <nlohmann/json.hpp>

#include <kumiko/amr/statistics.hpp>
#include <kumiko/io/origin.hpp>

namespace kumiko::io {

/// An array with an object for each worker.
inline nlohmann::ordered_json load_json(std::span<const amr::WorkerLoad> workers) {
  auto json = nlohmann::ordered_json::array();
  for (const amr::WorkerLoad& load : workers) {
    json.push_back({{"updates", load.updates},
                    {"busy_s", load.busy_s},
                    {"wait_s", load.wait_s},
                    {"steals", load.steals}});
  }
  return json;
}

/// An array with an object for each wait, of whose patches `patch_json` makes JSON.
template <class PatchJson>
nlohmann::ordered_json waits_json(std::span<const amr::PatchWait> waits, PatchJson patch_json) {
  auto json = nlohmann::ordered_json::array();
  for (const amr::PatchWait& wait : waits) {
    json.push_back({{"seconds", wait.seconds},
                    {"step", wait.step},
                    {"worker", wait.worker},
                    {"cause", amr::to_string(wait.cause)},
                    {"patch", patch_json(wait.patch)},
                    {"awaited", patch_json(wait.awaited)}});
  }
  return json;
}

/// Adds a key for each member of the origin.
inline void add_origin(nlohmann::ordered_json& json, const Origin& origin) {
  json["host"] = origin.host;
  json["cpu"] = origin.cpu;
  json["date"] = origin.date;
  json["version"] = origin.version;
  json["compiler"] = origin.compiler;
}

}  // namespace kumiko::io
