// The predictions of `kumiko simulate --ranks`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/model/rank_model.hpp>

#include "experiments/what_if.hpp"

namespace kumiko::app {

/// As the command line has it.
struct RanksRequest {
  std::vector<int> ranks;  ///< in rising order
  model::RankOptions options;
  std::string network_name;
  std::filesystem::path replay;  ///< folder for the ranks' actions; empty: none
};

/// "shared", or OVERHEAD,LATENCY,GAP,PER_BYTE in nanoseconds. Throws RequestError.
model::Network network_named(const std::string& text);

/// Names the files of all ranks' actions, in the ranks' order; in the folder for these.
inline constexpr const char* kReplayFile = "ranks.txt";

/// Adds the predictions for ranks to what was found in the trace, and writes the ranks' actions.
void predict_ranks(const WhatIf& what_if, const RanksRequest& request,
                   nlohmann::ordered_json& found);

}  // namespace kumiko::app
