// Workers' loads in JSON, as summaries and sidecars have them.
#pragma once

#include <span>

#include <nlohmann/json.hpp>

#include <kumiko/amr/statistics.hpp>

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

}  // namespace kumiko::io
