#include "balance.hpp"

#include <algorithm>
#include <limits>

#include "chart.hpp"

namespace kumiko::viz::report {

namespace {

double ratio(double a, double b) {
  return b > 0.0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

BalanceCurve balance_of(std::span<const amr::BaseStepLoad> load) {
  BalanceCurve curve;
  double sum_of_largest = 0.0;
  double sum_of_means = 0.0;
  for (const amr::BaseStepLoad& step : load) {
    std::uint64_t largest = 0;
    std::uint64_t sum = 0;
    for (const amr::WorkerLoad& worker : step.workers) {
      largest = std::max(largest, worker.updates);
      sum += worker.updates;
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(step.workers.size());
    sum_of_largest += static_cast<double>(largest);
    sum_of_means += mean;
    curve.step.push_back(step.step);
    curve.efficiency.push_back(ratio(static_cast<double>(largest), mean));
    curve.so_far.push_back(ratio(sum_of_largest, sum_of_means));
  }
  return curve;
}

std::vector<Chart> balance_charts(std::span<const ReportRun> runs) {
  Chart steps;
  steps.id = "balance_step";
  steps.title = "Load-balance efficiency";
  steps.reading =
      "The largest number of point updates of any worker, divided by what each would have if all "
      "did the same: 1 is perfect, n means that one of n workers did everything. The last value "
      "of the run so far is the run’s.";
  steps.x = {"base step", ""};
  steps.y = {"largest ÷ mean updates of a worker", ""};
  steps.y_from = 1.0;
  Chart beside = steps;
  beside.id = "balance_runs";
  beside.title = "Load-balance efficiency of the runs so far";
  beside.reading =
      "The same measure over all base steps up to each one, run beside run: the lower, the better "
      "the work was spread.";
  beside.panels.emplace_back();
  for (const ReportRun& run : runs) {
    BalanceCurve curve = balance_of(run.folder.load);
    beside.panels[0].series.push_back({run.name, curve.step, curve.so_far});
    steps.panels.push_back({run.name,
                            {},
                            {{"base step", curve.step, std::move(curve.efficiency), true},
                             {"run so far", curve.step, std::move(curve.so_far)}}});
    if (run.folder.load.front().step > 0) {
      steps.missing.push_back(run.name +
                              " went on from another folder's checkpoint: its load.csv "
                              "begins later than the run, whose efficiency its summary tells.");
    }
  }
  if (runs.size() < 2) return {std::move(steps)};
  return {std::move(beside), std::move(steps)};
}

}  // namespace kumiko::viz::report
