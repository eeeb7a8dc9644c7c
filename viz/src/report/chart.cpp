#include "chart.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/output_folder.hpp>

namespace kumiko::viz {

namespace report {

namespace {

/// How every table begins.
constexpr std::string_view kTableHead = "run,series,";

std::string_view name_of(ChartKind kind) {
  constexpr std::string_view kNames[] = {"lines", "steps", "bars"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(ChartKind::kStackedBars) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// The name with its unit in brackets, where there is one.
std::string with_unit(const AxisLabel& axis) {
  return axis.unit.empty() ? axis.name : fmt::format("{} [{}]", axis.name, axis.unit);
}

nlohmann::ordered_json axis_json(const AxisLabel& axis) {
  return {{"name", axis.name}, {"unit", axis.unit}};
}

}  // namespace

nlohmann::ordered_json to_json(const Chart& chart) {
  nlohmann::ordered_json json = {
      {"id", chart.id},
      {"title", chart.title},
      {"reading", chart.reading},
      {"kind", name_of(chart.kind)},
      {"x", axis_json(chart.x)},
      {"y", axis_json(chart.y)},
      {"y_from", chart.y_from},
      {"y_to", chart.y_to ? nlohmann::ordered_json(*chart.y_to) : nlohmann::ordered_json()},
      {"missing", chart.missing},
      {"panels", nlohmann::ordered_json::array()}};
  for (const ChartPanel& panel : chart.panels) {
    nlohmann::ordered_json series = nlohmann::ordered_json::array();
    for (const ChartSeries& one : panel.series) {
      series.push_back({{"name", one.name}, {"x", one.x}, {"y", one.y}, {"faint", one.faint}});
    }
    json["panels"].push_back({{"run", panel.run},
                              {"categories", panel.categories},
                              {"upper", panel.upper},
                              {"series", std::move(series)}});
  }
  return json;
}

std::string to_csv(const Chart& chart) {
  std::string csv = fmt::format("{}{},{}\n", kTableHead, csv_field(with_unit(chart.x)),
                                csv_field(with_unit(chart.y)));
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      // Without a run of its own a panel has a series for each run.
      const bool shared = panel.run.empty();
      const std::string lead = fmt::format("{},{},", csv_field(shared ? series.name : panel.run),
                                           shared ? "" : csv_field(series.name));
      for (std::size_t at = 0; at < series.x.size(); ++at) {
        const std::string x =
            panel.categories.empty()
                ? fmt::format("{}", series.x[at])
                : csv_field(panel.categories[static_cast<std::size_t>(series.x[at])]);
        const double y = series.y[at];
        csv += lead + x + (std::isfinite(y) ? fmt::format(",{}\n", y) : std::string(",\n"));
      }
    }
  }
  return csv;
}

std::vector<Chart> charts_of(std::span<const ReportRun> runs) {
  std::vector<Chart> charts;
  for (const auto make : {balance_charts, patch_charts, worker_charts, rank_charts, trace_charts}) {
    for (Chart& chart : make(runs)) charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace report

namespace {

/// Refuses to replace a file that does not begin as a table of to_csv().
void refuse_foreign(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string head;
  if (!stream.is_open() || (std::getline(stream, head), head.starts_with(report::kTableHead))) {
    return;
  }
  throw ForeignTable(fmt::format(
      "--csv: '{}' exists and is not a table of a report; name another folder", file.string()));
}

std::vector<std::filesystem::path> write_tables(const std::filesystem::path& folder,
                                                const std::vector<report::Chart>& charts) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw io::OutputError(fmt::format("cannot make '{}': {}", folder.string(), failed.message()));
  }
  std::vector<std::filesystem::path> files;
  for (const report::Chart& chart : charts) {
    if (!chart.panels.empty()) refuse_foreign(folder / (chart.id + ".csv"));
  }
  for (const report::Chart& chart : charts) {
    if (chart.panels.empty()) continue;
    files.push_back(folder / (chart.id + ".csv"));
    io::write_text_file(files.back(), report::to_csv(chart));
  }
  return files;
}

}  // namespace

std::vector<std::filesystem::path> write_report_tables(const std::filesystem::path& folder,
                                                       std::span<const ReportRun> runs) {
  return write_tables(folder, report::charts_of(runs));
}

std::vector<std::filesystem::path> write_report_tables(const std::filesystem::path& folder,
                                                       const ReportSearch& search) {
  return write_tables(folder, report::search_charts(search));
}

}  // namespace kumiko::viz
