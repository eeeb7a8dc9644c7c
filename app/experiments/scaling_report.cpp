#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/viz/line_chart.hpp>

#include "experiments/scaling.hpp"
#include "terminal/counted.hpp"
#include "terminal/text_table.hpp"

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

/// How many times faster than the reference a point is.
Spread speed_up_of(const Scaling& scaling, const ScalingPoint& point) {
  const Spread wall = spread_of(point.wall_s);
  const double reference = scaling.reference().median_wall_s();
  return {reference / wall.most, reference / wall.median, reference / wall.least};
}

/// Speed-up per worker, over the reference's.
Spread efficiency_of(const Scaling& scaling, const ScalingPoint& point) {
  const Spread gain = speed_up_of(scaling, point);
  const double share = static_cast<double>(scaling.reference().all_workers()) / point.all_workers();
  return {gain.least * share, gain.median * share, gain.most * share};
}

/// Which points are joined by a line.
std::string line_of(const Scaling& scaling, const ScalingPoint& point) {
  if (!scaling.is_of_ranks) return point.backend;
  return fmt::format("{} a rank", counted(point.workers, "worker"));
}

/// Points that are measured, those of a line together; the reference is the first of them.
std::vector<std::reference_wrapper<const ScalingPoint>> done(const Scaling& scaling) {
  std::vector<std::reference_wrapper<const ScalingPoint>> list;
  for (const ScalingPoint& point : scaling.points) {
    if (!point.is_measured()) continue;
    const auto is_of_its_line = [&](const ScalingPoint& other) {
      return line_of(scaling, other) == line_of(scaling, point);
    };
    const auto last = std::find_if(list.rbegin(), list.rend(), is_of_its_line);
    list.insert(last == list.rend() ? list.end() : last.base(), point);
  }
  return list;
}

/// Of points whose repetitions differ by more than a third. On an idle machine runs of a second or
/// so differ by some percent.
std::vector<std::string> notes_of(const Scaling& scaling) {
  constexpr double kMuch = 4.0 / 3.0;
  std::vector<std::string> notes;
  for (const ScalingPoint& point : done(scaling)) {
    const Spread wall = spread_of(point.wall_s);
    if (wall.most <= kMuch * wall.least) continue;
    notes.push_back(fmt::format(
        "{}: its runs took {:.3g} to {:.3g} s; other programs may have shared the machine, or the "
        "runs are too short",
        scaling.label_of(point), wall.least, wall.most));
  }
  return notes;
}

Json json_of(const Spread& spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"most", spread.most}};
}

/// The values that identify a point.
Json which_json(const Scaling& scaling, const ScalingPoint& point) {
  if (scaling.is_of_ranks) return {{"ranks", point.ranks}, {"workers", point.workers}};
  return {{"backend", point.backend}, {"workers", point.workers}};
}

Json point_json(const Scaling& scaling, const ScalingPoint& point) {
  Json json = which_json(scaling, point);
  json["wall_s"] = json_of(spread_of(point.wall_s));
  json["wall_s"]["all"] = point.wall_s;
  json["speed_up"] = json_of(speed_up_of(scaling, point));
  json["parallel_efficiency"] = efficiency_of(scaling, point).median;
  json["imbalance"] = json_of(spread_of(point.imbalance));
  json["summary"] = point.summary;
  return json;
}

/// A line for each backend, or number of a rank's workers, over all workers.
template <class Value>
std::vector<viz::Series> lines_of(const Scaling& scaling, Value value) {
  std::vector<viz::Series> lines;
  for (const ScalingPoint& point : done(scaling)) {
    const std::string name = line_of(scaling, point);
    auto line = std::ranges::find(lines, name, &viz::Series::name);
    if (line == lines.end()) line = lines.insert(line, {name, {}});
    const Spread spread = value(point);
    viz::ChartPoint place{static_cast<double>(point.all_workers()), spread.median};
    if (point.wall_s.size() > 1) place.spread = {spread.least, spread.most};
    line->points.push_back(std::move(place));
  }
  return lines;
}

/// From 0 to a little more than the largest value.
viz::LineChart chart_over_workers(const Scaling& scaling, const std::string& title,
                                  std::vector<viz::Series> lines) {
  double high = 1.0;
  for (const viz::Series& line : lines) {
    for (const viz::ChartPoint& point : line.points) {
      high = std::max(high, point.spread ? point.spread->high : point.y);
    }
  }
  viz::LineChart chart;
  chart.x = {"workers", viz::Scale::kLinear, viz::Range{0.0, scaling.most_workers() + 0.5}, true};
  chart.y = {title, viz::Scale::kLinear, viz::Range{0.0, 1.08 * high}};
  chart.series = std::move(lines);
  return chart;
}

std::string caption_of(const Scaling& scaling) {
  return fmt::format("solver {}; {}; median of {}", scaling.solver, counted(scaling.cores, "core"),
                     repetitions_text(scaling.points, scaling.repetitions));
}

/// Of a picture, whose bars show how far repetitions differ: whether they differ by much.
std::string title_of(const Scaling& scaling, const char* what) {
  const bool is_uneven = !notes_of(scaling).empty();
  return fmt::format("{}: case {}{}", what, scaling.case_name,
                     is_uneven ? " (runs differ much)" : "");
}

std::vector<Column<ScalingPoint>> columns_of(const Scaling& scaling) {
  const auto wall = [](double Spread::*figure) {
    return [=](const ScalingPoint& point) { return spread_of(point.wall_s).*figure; };
  };
  const auto gain = [&](double Spread::*figure) {
    return [&, figure](const ScalingPoint& point) { return speed_up_of(scaling, point).*figure; };
  };
  const auto imbalance = [](double Spread::*figure) {
    return [=](const ScalingPoint& point) { return spread_of(point.imbalance).*figure; };
  };
  const auto summary = [](const char* figure) {
    return [=](const ScalingPoint& point) { return point.summary.at(figure); };
  };
  const Column<ScalingPoint> ranks = {"ranks", "ranks", "{}", &ScalingPoint::ranks};
  const Column<ScalingPoint> backend = {"backend", "backend", "{}", &ScalingPoint::backend};
  return {scaling.is_of_ranks ? ranks : backend,
          {"workers", "workers", "{}", &ScalingPoint::workers},
          {"wall_least_s", "least s", "{:.3f}", wall(&Spread::least)},
          {"wall_median_s", "median s", "{:.3f}", wall(&Spread::median)},
          {"wall_most_s", "most s", "{:.3f}", wall(&Spread::most)},
          {"speed_up_least", nullptr, "{}", gain(&Spread::least)},
          {"speed_up_median", "speed-up", "{:.2f}", gain(&Spread::median)},
          {"speed_up_most", nullptr, "{}", gain(&Spread::most)},
          {"parallel_efficiency", "per worker", "{:.2f}",
           [&](auto& point) { return efficiency_of(scaling, point).median; }},
          {"imbalance_least", nullptr, "{}", imbalance(&Spread::least)},
          {"imbalance_median", "imbalance", "{:.3f}", imbalance(&Spread::median)},
          {"imbalance_most", nullptr, "{}", imbalance(&Spread::most)},
          {"repetitions", nullptr, "{}", [](auto& point) { return point.wall_s.size(); }},
          {"updates", nullptr, "{}",
           [](auto& point) { return point.summary.at("updates").at("total"); }},
          {"updates_per_core_s", "updates/s/core", "{:.3g}", summary("updates_per_core_s")},
          {"steals", nullptr, "{}", summary("steals")},
          {"state_hash", nullptr, "{}", summary("state_hash")}};
}

std::string scaling_csv(const Scaling& scaling) {
  return table_of(columns_of(scaling), done(scaling), true).csv();
}

/// Everything, with each point's summary as `kumiko run` writes it.
std::string scaling_json(const Scaling& scaling) {
  Json json;
  json["case"] = scaling.case_name;
  json["solver"] = scaling.solver;
  json["cores"] = scaling.cores;
  json["repetitions"] = scaling.repetitions;
  json["complete"] = scaling.complete;
  json["notes"] = notes_of(scaling);
  json["reference"] = which_json(scaling, scaling.reference());
  json["runs"] = Json::array();
  for (const ScalingPoint& point : done(scaling)) {
    json["runs"].push_back(point_json(scaling, point));
  }
  return json.dump(2) + "\n";
}

/// Speed-up over all workers, with the line of as many times as there are workers.
std::string speed_up_picture(const Scaling& scaling) {
  std::vector<viz::Series> lines =
      lines_of(scaling, [&](const ScalingPoint& point) { return speed_up_of(scaling, point); });
  const double most = scaling.most_workers();
  const double ideal = most / scaling.reference().all_workers();
  lines.push_back({"as many times as workers", {{0.0, 0.0}, {most, ideal}}, false});
  const std::string title = "speed-up over " + scaling.label_of(scaling.reference());
  const std::array charts = {chart_over_workers(scaling, title, std::move(lines))};
  return viz::draw_charts(charts, {title_of(scaling, "Speed-up"), caption_of(scaling)});
}

/// Imbalance over workers, and speed-up per worker.
std::string efficiency_picture(const Scaling& scaling) {
  std::array charts = {
      chart_over_workers(
          scaling, "imbalance: largest over mean work (1 is perfect)",
          lines_of(scaling, [](const ScalingPoint& point) { return spread_of(point.imbalance); })),
      chart_over_workers(scaling, "speed-up per worker (1 is perfect)",
                         lines_of(scaling, [&](const ScalingPoint& point) {
                           return efficiency_of(scaling, point);
                         }))};
  for (viz::LineChart& chart : charts) chart.references = {{1.0}};
  return viz::draw_charts(charts, {title_of(scaling, "Efficiency"), caption_of(scaling)});
}

}  // namespace

std::string Scaling::label_of(const ScalingPoint& point) const {
  const std::string workers = counted(point.workers, "worker");
  if (!is_of_ranks) return fmt::format("{}, {}", point.backend, workers);
  return fmt::format("{}, {} each", counted(point.ranks, "rank"), workers);
}

std::string scaling_table(const Scaling& scaling) {
  std::string text = fmt::format(
      "case {}, {}; speed-up over {}; imbalance: largest over mean work, 1 is perfect, more is "
      "worse\n\n{}",
      scaling.case_name, caption_of(scaling), scaling.label_of(scaling.reference()),
      table_of(columns_of(scaling), done(scaling), false).plain());
  for (const std::string& note : notes_of(scaling)) text += fmt::format("\nnote: {}\n", note);
  return text;
}

const std::array<SweepFile<Scaling>, 4> kScalingFiles = {{{"scaling.csv", scaling_csv},
                                                          {"scaling.json", scaling_json},
                                                          {"speed_up.svg", speed_up_picture},
                                                          {"efficiency.svg", efficiency_picture}}};

}  // namespace kumiko::app
