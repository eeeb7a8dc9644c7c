// Charts of the processes of a search: their busy time, parts and bytes.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "chart.hpp"

namespace kumiko::viz::report {

namespace {

using Record = nlohmann::ordered_json;

constexpr double kWhole = 100.0;

/// A panel with a bar for each process.
ChartPanel process_panel(const ReportSearch& search, std::vector<ChartSeries> series) {
  ChartPanel panel{search.name};
  panel.series = std::move(series);
  for (const Record& process : search.record->at("processes")) {
    panel.categories.push_back(process.at("name").get<std::string>());
  }
  return panel;
}

ChartSeries by_process(std::string name, const std::vector<double>& values) {
  ChartSeries series{std::move(name)};
  for (std::size_t at = 0; at < values.size(); ++at) {
    series.add(static_cast<double>(at), values[at]);
  }
  return series;
}

/// The share of its workers' time, while a process took part in the search, in which they worked,
/// in per cent. NaN for a process without a report.
double working_percent(const Record& process, double seconds) {
  if (!process.at("told").get<bool>()) return std::numeric_limits<double>::quiet_NaN();
  const double from = std::max(0.0, process.at("begin_s").get<double>());
  const double until = std::min(seconds, process.at("end_s").get<double>());
  const double all = (until - from) * process.at("workers").get<double>();
  if (all <= 0.0) return std::numeric_limits<double>::quiet_NaN();
  return std::min(kWhole, kWhole * process.at("worked_s").get<double>() / all);
}

/// How to count parts that a process has done again by itself.
enum class OwnParts { kCount, kDoNot };

/// Sums of a number over the pairs of each process.
std::vector<double> sums(const Record& record, std::string_view key,
                         OwnParts own = OwnParts::kCount) {
  std::vector<double> all(record.at("processes").size());
  for (const Record& pair : record.at("pairs")) {
    if (own == OwnParts::kDoNot && pair.at("process") == pair.at("other")) continue;
    all[pair.at("process").get<std::size_t>()] += pair.at(key).get<double>();
  }
  return all;
}

std::vector<double> minus(std::vector<double> values, const std::vector<double>& others) {
  for (std::size_t at = 0; at < values.size(); ++at) values[at] -= others[at];
  return values;
}

Chart working_chart(const ReportSearch& search) {
  Chart chart{.id = "search_working",
              .title = "Working and idle, by process",
              .reading =
                  "How the workers of a process spent the time for which it took part in the "
                  "search: working, or waiting for an answer, for the result of a part, or for "
                  "other processes to join.",
              .kind = ChartKind::kStackedBars,
              .x = {"process"},
              .y = {"share of its workers’ time", "%"},
              .y_to = kWhole};
  const auto seconds = search.record->at("seconds").get<double>();
  std::vector<double> working;
  std::vector<double> idle;
  for (const Record& process : search.record->at("processes")) {
    working.push_back(working_percent(process, seconds));
    idle.push_back(kWhole - working.back());
  }
  chart.panels = {
      process_panel(search, {by_process("working", working), by_process("idle", idle)})};
  chart.panels.back().series.back().faint = true;
  return chart;
}

Chart given_chart(const ReportSearch& search) {
  const Record& record = *search.record;
  Chart chart{.id = "search_given",
              .title = "Parts given, by giver",
              .reading =
                  "The parts of its work that a process gave away because another process asked: "
                  "parts whose results it used, parts that it had to give again because the "
                  "process that had them was lost, and parts that were no longer needed.",
              .kind = ChartKind::kStackedBars,
              .x = {"process"},
              .y = {"parts"}};
  const std::vector<double> used = sums(record, "used");
  const std::vector<double> again = sums(record, "again");
  chart.panels = {process_panel(
      search, {by_process("used", used), by_process("given again", again),
               by_process("not wanted", minus(minus(sums(record, "given"), used), again))})};
  return chart;
}

Chart taken_chart(const ReportSearch& search) {
  const Record& record = *search.record;
  Chart chart{
      .id = "search_taken",
      .title = "Parts taken, by taker",
      .reading =
          "The parts that a process worked on for others, or again for itself: parts whose results "
          "it returned, and parts that were stopped, or were unfinished when it left the search.",
      .kind = ChartKind::kStackedBars,
      .x = {"process"},
      .y = {"parts"}};
  const std::vector<double> told = sums(record, "told");
  chart.panels = {
      process_panel(search, {by_process("returned", told),
                             by_process("stopped or left", minus(sums(record, "taken"), told))})};
  return chart;
}

Chart bytes_chart(const ReportSearch& search) {
  const Record& record = *search.record;
  Chart chart{
      .id = "search_bytes",
      .title = "Bytes sent, by process",
      .reading =
          "The size of the parts that a process gave away and of the results that it returned.",
      .kind = ChartKind::kStackedBars,
      .x = {"process"},
      .y = {"bytes"}};
  chart.panels = {
      process_panel(search, {by_process("parts", sums(record, "given_bytes")),
                             by_process("results", sums(record, "told_bytes", OwnParts::kDoNot))})};
  return chart;
}

}  // namespace

std::vector<Chart> search_charts(const ReportSearch& search) {
  return {working_chart(search), given_chart(search), taken_chart(search), bytes_chart(search)};
}

}  // namespace kumiko::viz::report
