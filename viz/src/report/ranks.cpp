#include "ranks.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace kumiko::viz::report {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json ranks_json(const ReportRun& run) {
  const Json& summary = *run.folder.summary;
  const Json ranks = summary.value("ranks", Json::array());
  if (ranks.empty()) return {};
  Json balance = Json::object();
  for (const auto& [name, first] : ranks.front().items()) {
    if (!first.is_number()) continue;
    double largest = 0.0;
    double sum = 0.0;
    for (const Json& rank : ranks) {
      const auto value = rank.at(name).get<double>();
      largest = std::max(largest, value);
      sum += value;
    }
    balance[name] = sum > 0.0 ? Json(largest * static_cast<double>(ranks.size()) / sum) : Json();
  }
  return {{"ranks", ranks},
          {"balance", std::move(balance)},
          {"moved_patches", summary.value("moved_patches", Json())}};
}

}  // namespace kumiko::viz::report
