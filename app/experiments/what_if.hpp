// Predictions for other numbers of workers and other schedules, from one trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <kumiko/amr/trace.hpp>
#include <kumiko/model/schedule_model.hpp>

#include "experiments/sweep.hpp"

namespace kumiko::app {

/// Predictions from one trace.
struct WhatIf {
  amr::Trace trace;
  std::uint64_t seed = 1;
  model::WorkBounds bounds;
  double disturbed_share = 0.0;  ///< of the pieces' time
  model::Overheads overheads;
  std::vector<model::PieceTimes> piece_times;  ///< measured, of schedules
  std::vector<model::ScheduleKind> kinds;
  std::vector<int> workers;                    ///< in rising order
  std::vector<model::Prediction> predictions;  ///< by kind, then by workers
  std::vector<model::Prediction> alone;        ///< of each kind, with one worker
  double static_alone_s = 0.0;                 ///< backend pthread on one worker: the thesis's base

  /// Over the same schedule on one worker.
  double speed_up(const model::Prediction& prediction) const {
    const auto same = std::ranges::find(alone, prediction.kind, &model::Prediction::kind);
    return same == alone.end() ? 0.0 : same->seconds / prediction.seconds;
  }
  /// Over backend pthread on one worker.
  double speed_up_over_static(const model::Prediction& prediction) const {
    return static_alone_s / prediction.seconds;
  }
};

/// Fills in the bounds and the predictions for the chosen schedules and workers.
void predict(WhatIf& what_if);

/// A report for the terminal.
std::string plain_report(const WhatIf& what_if);
std::string json_report(const WhatIf& what_if);
/// Table and JSON.
extern const std::array<SweepFile<WhatIf>, 2> kWhatIfFiles;
/// What draw_predictions() makes of the JSON.
inline constexpr std::array kWhatIfFigures = {"speed_up.svg", "efficiency.svg"};

}  // namespace kumiko::app
