#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/viz/line_chart.hpp>

#include "counted.hpp"
#include "experiments/scaling.hpp"
#include "text_table.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

/// Over the repetitions.
struct Spread {
  double least;
  double median;
  double most;
};

Spread spread_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  return {*least, median(values), *most};
}

/// The figures of a point that follow from its wall times.
struct Gain {
  Spread speed_up;
  double efficiency;  ///< speed-up per worker
};

Gain gain_of(const Scaling& scaling, const ScalingPoint& point) {
  const Spread wall = spread_of(point.wall_s);
  const Spread gain = {speed_up(scaling, wall.most), speed_up(scaling, wall.median),
                       speed_up(scaling, wall.least)};
  return {gain, gain.median / point.workers};
}

/// Points that are measured, those of a backend together; the reference is the first of them.
std::vector<const ScalingPoint*> done(const Scaling& scaling) {
  std::vector<const ScalingPoint*> list;
  for (const ScalingPoint& point : scaling.points) {
    if (!point.is_measured()) continue;
    const auto is_last_of_its_kind = [&](const ScalingPoint* other) {
      return other->backend == point.backend;
    };
    const auto last = std::find_if(list.rbegin(), list.rend(), is_last_of_its_kind);
    list.insert(last == list.rend() ? list.end() : last.base(), &point);
  }
  return list;
}

Json json_of(const Spread& spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"most", spread.most}};
}

Json point_json(const Scaling& scaling, const ScalingPoint& point) {
  const Gain gain = gain_of(scaling, point);
  Json json;
  json["backend"] = point.backend;
  json["workers"] = point.workers;
  json["wall_s"] = json_of(spread_of(point.wall_s));
  json["wall_s"]["all"] = point.wall_s;
  json["speed_up"] = json_of(gain.speed_up);
  json["parallel_efficiency"] = gain.efficiency;
  json["balance_efficiency"] = json_of(spread_of(point.balance));
  json["summary"] = io::to_json(point.summary);
  return json;
}

/// A line for each backend, from few workers to many; in the order in which they were asked for.
template <class Value>
std::vector<viz::Series> lines_of(const Scaling& scaling, Value value) {
  std::vector<viz::Series> lines;
  for (const ScalingPoint* point : done(scaling)) {
    auto line = std::ranges::find(lines, point->backend, &viz::Series::name);
    if (line == lines.end()) line = lines.insert(line, {point->backend, {}});
    line->points.push_back({static_cast<double>(point->workers), value(*point)});
  }
  return lines;
}

int most_workers(const Scaling& scaling) {
  int most = 1;
  for (const ScalingPoint& point : scaling.points) most = std::max(most, point.workers);
  return most;
}

viz::LineChart chart_over_workers(const Scaling& scaling, const std::string& title,
                                  std::vector<viz::Series> lines) {
  viz::LineChart chart;
  chart.x = {"workers", viz::Scale::kLinear, viz::Range{0.0, most_workers(scaling) + 0.5}, true};
  chart.y = {title, viz::Scale::kLinear};
  chart.series = std::move(lines);
  return chart;
}

/// From 0 to a little more than the largest value.
void begin_at_zero(viz::LineChart& chart) {
  double high = 1.0;
  for (const viz::Series& line : chart.series) {
    for (const viz::ChartPoint& point : line.points) high = std::max(high, point.y);
  }
  chart.y.range = {{0.0, 1.08 * high}};
}

std::string caption_of(const Scaling& scaling) {
  return fmt::format("solver {}; {}; median of {}", scaling.solver, counted(scaling.cores, "core"),
                     counted(scaling.repetitions, "run"));
}

std::string scaling_csv(const Scaling& scaling) {
  std::string text =
      "backend,workers,wall_least_s,wall_median_s,wall_most_s,speed_up_least,speed_up_median,speed_"
      "up_most,parallel_efficiency,balance_least,balance_median,balance_most,repetitions,updates,"
      "updates_per_core_s,steals,state_hash\n";
  for (const ScalingPoint* point : done(scaling)) {
    const Spread wall = spread_of(point->wall_s);
    const Gain gain = gain_of(scaling, *point);
    const Spread balance = spread_of(point->balance);
    text += fmt::format("{},{},{},{},{},{},{},{},{},", point->backend, point->workers, wall.least,
                        wall.median, wall.most, gain.speed_up.least, gain.speed_up.median,
                        gain.speed_up.most, gain.efficiency);
    text += fmt::format("{},{},{},{},{},{},{},{}\n", balance.least, balance.median, balance.most,
                        point->wall_s.size(), point->summary.updates_total,
                        point->summary.updates_per_core_s.value_or(0.0), point->summary.steals,
                        point->summary.state_hash);
  }
  return text;
}

/// Everything, with each point's summary as `kumiko run` writes it.
std::string scaling_json(const Scaling& scaling) {
  Json json;
  json["case"] = scaling.case_name;
  json["solver"] = scaling.solver;
  json["cores"] = scaling.cores;
  json["repetitions"] = scaling.repetitions;
  json["complete"] = scaling.complete;
  json["reference"] = {{"backend", scaling.reference().backend},
                       {"workers", scaling.reference().workers}};
  json["runs"] = Json::array();
  for (const ScalingPoint* point : done(scaling)) {
    json["runs"].push_back(point_json(scaling, *point));
  }
  return json.dump(2) + "\n";
}

/// Speed-up over workers, with the line of as many times as there are workers.
std::string speed_up_picture(const Scaling& scaling) {
  viz::LineChart chart = chart_over_workers(scaling, "speed-up over pthread on one worker",
                                            lines_of(scaling, [&](const ScalingPoint& point) {
                                              return gain_of(scaling, point).speed_up.median;
                                            }));
  viz::Series ideal{"as many times as workers", {{0.0, 0.0}}, false};
  const double most = most_workers(scaling);
  ideal.points.push_back({most, most});
  chart.series.push_back(std::move(ideal));
  begin_at_zero(chart);
  viz::ChartPage page;
  page.title = fmt::format("Speed-up: case {}", scaling.case_name);
  page.caption = caption_of(scaling);
  return viz::draw_charts({{chart}}, page);
}

/// Load-balance efficiency over workers, and speed-up per worker.
std::string efficiency_picture(const Scaling& scaling) {
  viz::LineChart balance = chart_over_workers(
      scaling, "load-balance efficiency (1 is perfect, more is worse)",
      lines_of(scaling, [](const ScalingPoint& point) { return median(point.balance); }));
  begin_at_zero(balance);
  balance.references = {{1.0}};
  viz::LineChart parallel = chart_over_workers(scaling, "speed-up per worker (1 is perfect)",
                                               lines_of(scaling, [&](const ScalingPoint& point) {
                                                 return gain_of(scaling, point).efficiency;
                                               }));
  begin_at_zero(parallel);
  parallel.references = {{1.0}};
  viz::ChartPage page;
  page.title = fmt::format("Efficiency: case {}", scaling.case_name);
  page.caption = caption_of(scaling);
  return viz::draw_charts(std::vector<viz::LineChart>{balance, parallel}, page);
}

}  // namespace

std::string scaling_table(const Scaling& scaling) {
  TextTable table({"backend", "workers", "least s", "median s", "most s", "speed-up", "per worker",
                   "balance", "updates/s/core"});
  for (const ScalingPoint* point : done(scaling)) {
    const Spread wall = spread_of(point->wall_s);
    const Gain gain = gain_of(scaling, *point);
    table.add({point->backend, fmt::format("{}", point->workers), fmt::format("{:.3f}", wall.least),
               fmt::format("{:.3f}", wall.median), fmt::format("{:.3f}", wall.most),
               fmt::format("{:.2f}", gain.speed_up.median), fmt::format("{:.2f}", gain.efficiency),
               fmt::format("{:.3f}", median(point->balance)),
               fmt::format("{:.3g}", point->summary.updates_per_core_s.value_or(0.0))});
  }
  return fmt::format(
      "case {}, {}; speed-up over {} on one worker; balance: load-balance efficiency, 1 is "
      "perfect, more is worse\n\n{}",
      scaling.case_name, caption_of(scaling), scaling.reference().backend, table.plain());
}

const std::array<SweepFile<Scaling>, 4> kScalingFiles = {{{"scaling.csv", scaling_csv},
                                                          {"scaling.json", scaling_json},
                                                          {"speed_up.svg", speed_up_picture},
                                                          {"efficiency.svg", efficiency_picture}}};

}  // namespace kumiko::app
