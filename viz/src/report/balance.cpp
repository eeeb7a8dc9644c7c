#include "balance.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "chart.hpp"
#include "step_bins.hpp"

namespace kumiko::viz::report {

namespace {

/// Over base steps: of the largest number of updates of any worker, and of the mean one.
class Sums {
 public:
  void add(const amr::BaseStepLoad& step) {
    std::uint64_t largest = 0;
    std::uint64_t sum = 0;
    for (const amr::WorkerLoad& worker : step.workers) {
      largest = std::max(largest, worker.updates);
      sum += worker.updates;
    }
    largest_ += static_cast<double>(largest);
    means_ += static_cast<double>(sum) / static_cast<double>(step.workers.size());
  }
  double imbalance() const {
    return means_ > 0.0 ? largest_ / means_ : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double largest_ = 0.0;
  double means_ = 0.0;
};

}  // namespace

BalanceCurve balance_of(std::span<const amr::BaseStepLoad> load) {
  BalanceCurve curve;
  Sums so_far;
  for (const StepBin bin : bins_of(load)) {
    Sums sums;
    for (const amr::BaseStepLoad& step : bin) {
      sums.add(step);
      so_far.add(step);
    }
    curve.step.push_back(bin.back().step);
    curve.imbalance.push_back(sums.imbalance());
    curve.so_far.push_back(so_far.imbalance());
  }
  return curve;
}

std::vector<Chart> balance_charts(std::span<const ReportRun> runs) {
  Chart steps{.id = "balance_step",
              .title = "Imbalance",
              .reading =
                  "The largest number of point updates of any worker, divided by the mean over the "
                  "workers: 1 is perfect, n means that one of n workers did everything. The last "
                  "value of the run so far is the imbalance of the whole run." +
                  std::string(kAboutBins),
              .x = {"base step"},
              .y = {"largest ÷ mean updates of a worker"},
              .y_from = 1.0};
  Chart beside = steps;
  beside.id = "balance_runs";
  beside.title = "Imbalance of the runs so far";
  beside.reading =
      "Each run's imbalance over all base steps so far: the lower the curve, the more evenly the "
      "work was divided among the workers.";
  beside.panels.emplace_back();
  for (const ReportRun& run : runs) {
    if (run.folder.load.empty()) {
      steps.missing.push_back(run.name + kHasNoLoad);
      continue;
    }
    BalanceCurve curve = balance_of(run.folder.load);
    beside.panels[0].series.push_back({run.name, curve.step, curve.so_far});
    steps.panels.push_back({run.name,
                            {},
                            {{"base step", curve.step, std::move(curve.imbalance), true},
                             {"run so far", curve.step, std::move(curve.so_far)}}});
    if (run.folder.load.front().step > 0) {
      steps.missing.push_back(
          run.name +
          " continued a checkpoint of another folder, so its load.csv begins later than the run; "
          "the imbalance of the whole run is in its summary.");
    }
  }
  if (runs.size() < 2) return {std::move(steps)};
  return {std::move(beside), std::move(steps)};
}

}  // namespace kumiko::viz::report
