// The records that summaries and sidecars have in common.
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/amr/statistics.hpp>
#include <kumiko/io/origin.hpp>

#include "text/described_json.hpp"

namespace kumiko::amr {

using cluster::Item;

constexpr auto described(std::type_identity<WorkerLoad>) {
  using L = WorkerLoad;
  return std::tuple(Item<&L::updates>{"updates"}, Item<&L::busy_s>{"busy_s"},
                    Item<&L::wait_s>{"wait_s"}, Item<&L::steals>{"steals"});
}

constexpr auto described(std::type_identity<PatchWait>) {
  using W = PatchWait;
  return std::tuple(Item<&W::seconds>{"seconds"}, Item<&W::step>{"step"},
                    Item<&W::worker>{"worker"}, Item<&W::cause>{"cause"},
                    Item<&W::patch>{"patch", "that waited: level, i, j"},
                    Item<&W::awaited>{"awaited", "that it waited for"});
}

inline void to_json(nlohmann::ordered_json& json, const PatchId& id) {
  json = {id.level, id.i, id.j};
}
inline void from_json(const nlohmann::ordered_json& json, PatchId& id) {
  if (!json.is_array() || json.size() != 3)
    throw std::runtime_error("a patch is not three numbers");
  id = {io::to_number<int>(json[0]), io::to_number<int>(json[1]), io::to_number<int>(json[2])};
}

inline void to_json(nlohmann::ordered_json& json, WaitCause cause) { json = to_string(cause); }
inline void from_json(const nlohmann::ordered_json& json, WaitCause& cause) {
  const auto name = json.get<std::string>();
  for (int at = 0; at <= static_cast<int>(WaitCause::kLevel); ++at) {
    cause = static_cast<WaitCause>(at);
    if (name == to_string(cause)) return;
  }
  throw std::runtime_error(
      fmt::format("there is no cause of a wait called {}", io::in_quotes(name)));
}

}  // namespace kumiko::amr

namespace kumiko::io {

using cluster::Item;

constexpr auto described(std::type_identity<Origin>) {
  using O = Origin;
  return std::tuple(Item<&O::host>{"host"}, Item<&O::cpu>{"cpu"}, Item<&O::date>{"date"},
                    Item<&O::version>{"version"}, Item<&O::compiler>{"compiler"});
}

}  // namespace kumiko::io
