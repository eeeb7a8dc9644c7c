// Groups base steps into bins, for curves that a screen can show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <kumiko/amr/statistics.hpp>

namespace kumiko::viz::report {

/// Points that a curve over the run has at most.
inline constexpr std::size_t kMostPoints = 250;

/// The end of the captions of such curves.
inline constexpr const char* kAboutBins =
    " In a run of more than 250 base steps, a point stands for several base steps, of which its "
    "own is the last; load.csv lists all of them.";

/// Why a run has no chart of its workers.
inline constexpr const char* kHasNoLoad =
    " was complete when it was continued: its load.csv has no base step.";

using StepBin = std::span<const amr::BaseStepLoad>;

/// Equal numbers of base steps one after the other; the last bin may have less. Of no more base
/// steps than points each is alone.
inline std::vector<StepBin> bins_of(std::span<const amr::BaseStepLoad> load,
                                    std::size_t most_points = kMostPoints) {
  const std::size_t size = std::max<std::size_t>((load.size() + most_points - 1) / most_points, 1);
  std::vector<StepBin> bins;
  for (std::size_t at = 0; at < load.size(); at += size) {
    bins.push_back(load.subspan(at, std::min(size, load.size() - at)));
  }
  return bins;
}

/// The loads of the workers over all of a bin. After a restart there may be more workers.
inline std::vector<amr::WorkerLoad> totals_of(StepBin bin) {
  std::vector<amr::WorkerLoad> totals;
  for (const amr::BaseStepLoad& step : bin) {
    totals.resize(std::max(totals.size(), step.workers.size()));
    for (std::size_t at = 0; at < step.workers.size(); ++at) totals[at] += step.workers[at];
  }
  return totals;
}

}  // namespace kumiko::viz::report
