// Predictions for other numbers of workers and other schedules, from one trace.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/trace.hpp>
#include <kumiko/model/schedule_model.hpp>

namespace kumiko::app {

/// What predictions are made from.
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

}  // namespace kumiko::app
