// Charts of the workers: each over the run, and all of them over its base steps.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "chart.hpp"
#include "step_bins.hpp"

namespace kumiko::viz::report {

namespace {

constexpr double kPercent = 100.0;

double busy_percent(const amr::WorkerLoad& load) {
  const double all = load.busy_s + load.wait_s;
  return all > 0.0 ? kPercent * load.busy_s / all : std::numeric_limits<double>::quiet_NaN();
}

/// `value` of each worker, as bars of one series.
template <class Value>
ChartSeries bars(const std::string& name, const std::vector<amr::WorkerLoad>& totals, Value value) {
  ChartSeries series{name};
  for (std::size_t at = 0; at < totals.size(); ++at) {
    series.add(static_cast<double>(at), value(totals[at]));
  }
  return series;
}

ChartPanel empty_panel(const ReportRun& run, std::size_t workers) {
  ChartPanel panel{run.name};
  for (std::size_t at = 0; at < workers; ++at) panel.categories.push_back(fmt::format("{}", at));
  return panel;
}

ChartPanel busy_over_run(const ReportRun& run) {
  ChartSeries least{.name = "least busy worker", .faint = true};
  ChartSeries all{"all workers"};
  ChartSeries most{.name = "busiest worker", .faint = true};
  std::size_t most_workers = 0;
  for (const StepBin bin : bins_of(run.folder.load)) {
    amr::WorkerLoad sum;
    double smallest = std::numeric_limits<double>::quiet_NaN();
    double largest = smallest;
    const std::vector<amr::WorkerLoad> totals = totals_of(bin);
    for (const amr::WorkerLoad& worker : totals) {
      sum += worker;
      // A worker without times in these steps was not there for them: it neither worked nor waited.
      const double busy = busy_percent(worker);
      smallest = std::fmin(smallest, busy);
      largest = std::fmax(largest, busy);
    }
    least.add(bin.back().step, smallest);
    all.add(bin.back().step, busy_percent(sum));
    most.add(bin.back().step, largest);
    most_workers = std::max(most_workers, totals.size());
  }
  ChartPanel panel{run.name};
  if (most_workers > 1) panel.series = {std::move(least), std::move(most)};
  panel.series.push_back(std::move(all));
  return panel;
}

ChartSeries steals_over_run(const ReportRun& run) {
  ChartSeries series{run.name};
  for (const StepBin bin : bins_of(run.folder.load)) {
    std::uint64_t steals = 0;
    for (const amr::WorkerLoad& worker : totals_of(bin)) steals += worker.steals;
    series.add(bin.back().step, static_cast<double>(steals) / static_cast<double>(bin.size()));
  }
  return series;
}

bool never_stole(const ReportRun& run) {
  const auto totals = totals_of(run.folder.load);
  return std::ranges::all_of(
      totals, [](std::uint64_t steals) { return steals == 0; }, &amr::WorkerLoad::steals);
}

/// How much of their time the workers spent on patches: each over the run, and all over its steps.
std::vector<Chart> busy_charts(std::span<const ReportRun> runs) {
  Chart share{.id = "busy_worker",
              .title = "Busy and waiting, by worker",
              .reading =
                  "How a worker spent the stepping time: on patches, or between them, when it is "
                  "idle, searches for work or switches threads.",
              .kind = ChartKind::kStackedBars,
              .x = {"worker"},
              .y = {"share of its time", "%"},
              .y_to = kPercent};
  Chart over{.id = "busy_step",
             .title = "Busy over the run",
             .reading =
                 "The share of the time that workers spent on patches, by base step. A gap between "
                 "the busiest and the least busy worker means that work is divided unevenly; if "
                 "all curves are low, all workers wait." +
                 std::string(kAboutBins),
             .x = {"base step"},
             .y = {"busy", "%"},
             .y_to = kPercent};
  for (const ReportRun& run : runs) {
    if (run.folder.load.empty()) {
      for (Chart* const chart : {&share, &over}) chart->missing.push_back(run.name + kHasNoLoad);
      continue;
    }
    const std::vector<amr::WorkerLoad> totals = totals_of(run.folder.load);
    ChartPanel& panel = share.panels.emplace_back(empty_panel(run, totals.size()));
    panel.series.push_back(bars("busy", totals, busy_percent));
    panel.series.push_back(bars("waiting", totals, [](const amr::WorkerLoad& load) {
      return kPercent - busy_percent(load);
    }));
    panel.series.back().faint = true;
    over.panels.push_back(busy_over_run(run));
  }
  return {std::move(share), std::move(over)};
}

/// Steals of each worker; and, if there are any, of all workers over the steps.
std::vector<Chart> steal_charts(std::span<const ReportRun> runs) {
  Chart steals{.id = "steals_worker",
               .title = "Steals, by worker",
               .reading = "Threads that a worker took from others when it had none of its own.",
               .kind = ChartKind::kStackedBars,
               .x = {"worker"},
               .y = {"steals"}};
  Chart over{.id = "steals_step",
             .title = "Steals over the run",
             .reading =
                 "The steals of all workers in a base step, averaged over the base steps of a "
                 "point. Many steals mean that one worker creates the work and others take it." +
                 std::string(kAboutBins),
             .x = {"base step"},
             .y = {"steals in a base step"}};
  ChartPanel stealing;
  for (const ReportRun& run : runs) {
    if (run.folder.load.empty()) {
      steals.missing.push_back(run.name + kHasNoLoad);
      continue;
    }
    if (never_stole(run)) {
      steals.missing.push_back(
          run.name + " has no steals: only backend threads with two or more workers has them.");
      continue;
    }
    const std::vector<amr::WorkerLoad> totals = totals_of(run.folder.load);
    ChartPanel& panel = steals.panels.emplace_back(empty_panel(run, totals.size()));
    panel.series.push_back(bars("steals", totals, [](const amr::WorkerLoad& load) {
      return static_cast<double>(load.steals);
    }));
    stealing.series.push_back(steals_over_run(run));
  }
  if (stealing.series.empty()) return {std::move(steals)};
  over.panels.push_back(std::move(stealing));
  return {std::move(steals), std::move(over)};
}

}  // namespace

std::vector<Chart> worker_charts(std::span<const ReportRun> runs) {
  std::vector<Chart> charts = busy_charts(runs);
  std::ranges::move(steal_charts(runs), std::back_inserter(charts));
  return charts;
}

}  // namespace kumiko::viz::report
