// The predictions of `kumiko simulate` from one trace: for other numbers of workers and other
// schedules, or for ranks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/trace.hpp>
#include <kumiko/model/rank_model.hpp>
#include <kumiko/model/schedule_model.hpp>

namespace kumiko::app {

/// The input of predictions.
struct WhatIf {
  amr::Trace trace;
  std::uint64_t seed = 1;
  model::Overheads overheads;
  std::vector<model::PieceTimes> piece_times;  ///< measured, of schedules
};

/// The trace, its bounds, and the overheads, as the Python package takes them.
nlohmann::ordered_json found_in_trace(const WhatIf& what_if);

/// Adds the predictions for schedules, by kind, then by workers, and the time of each schedule on
/// one worker.
void predict_workers(const WhatIf& what_if, const std::vector<model::ScheduleKind>& kinds,
                     const std::vector<int>& workers, nlohmann::ordered_json& found);

/// --ranks and the options that belong to it.
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
