#include "experiments/comparison_report.hpp"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kumiko/viz/line_chart.hpp>

#include "run/published.hpp"
#include "terminal/counted.hpp"
#include "terminal/drift_name.hpp"
#include "terminal/text_table.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNothing = "-";

std::string backend_text(const Comparison& comparison) {
  for (const ComparedRun& run : comparison.runs) {
    if (!run.is_measured()) continue;
    return fmt::format("{}, {}", run.summary.backend, counted(run.summary.workers, "worker"));
  }
  return "no run is done";
}

/// The mesh: "64", or "64 to 256" with finer levels.
std::string resolution_text(const ComparedRun& run) {
  if (run.finest_points == run.points) return fmt::format("{}", run.points);
  return fmt::format("{} to {}", run.points, run.finest_points);
}

/// The number of steps, with a star if there are more than in proportion.
std::string steps_text(const ComparedRun& run) {
  return fmt::format("{}{}", run.summary.steps, run.steps > run.steps_in_proportion ? "*" : "");
}

const char* centring_of(const Contender& contender) { return contender.cells ? "cell" : "node"; }

std::string quoted(const std::string& text) {
  return (std::ostringstream() << std::quoted(text, '"', '"')).str();
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::vector<Column<ComparedRun>> columns_of(const Comparison& comparison) {
  const auto contender = std::bind_front(contender_of, std::cref(comparison));
  const auto error = [](std::string_view norm) {
    return [=](const ComparedRun& run) { return or_null(error_of(run.summary, norm)); };
  };
  return {
      {"solver", nullptr, "{}", [=](auto& run) { return quoted(contender(run).label); }},
      {nullptr, "solver", "{}", [=](auto& run) { return contender(run).label; }},
      {"points", nullptr, "{}", &ComparedRun::points},
      {"finest_points", nullptr, "{}", &ComparedRun::finest_points},
      {nullptr, "N", "{}", resolution_text},
      {"centring", nullptr, "{}", [=](auto& run) { return centring_of(contender(run)); }},
      {"steps", nullptr, "{}", &ComparedRun::steps},
      {nullptr, "steps", "{}", steps_text},
      {"steps_in_proportion", nullptr, "{}", &ComparedRun::steps_in_proportion},
      {"leaf_points", "points", "{}", &ComparedRun::leaf_points},
      {"rms", "RMS", "{:.4e}", error("rms")},
      {"l1_relative", "rel. L1", "{:.4e}", error("l1_relative")},
      {"l1", "L1", "{:.4e}", error("l1")},
      {"linf", "Linf", "{:.4e}", error("linf")},
      {"order", "order", "{:.2f}", [&](auto& run) { return or_null(order_of(comparison, run)); }},
      {"min", "min", "{:#.5g}", [](auto& run) { return run.summary.field.minimum; }},
      {"max", "max", "{:#.5g}", [](auto& run) { return run.summary.field.maximum; }},
      {"mass_drift", drift_name(is_open(comparison)), "{:.1e}",
       [](auto& run) { return or_null(run.summary.mass_drift()); }},
      {"wall_least_s", "least s", "{:.4g}", &ComparedRun::least_wall_s},
      {"wall_median_s", "median s", "{:.4g}", &ComparedRun::median_wall_s},
      {"repetitions", nullptr, "{}", [](auto& run) { return run.wall_s.size(); }},
      {"updates", "updates", "{}", [](auto& run) { return run.summary.work.updates(); }},
      {"updates_per_core_s", "updates/s/core", "{:.3g}",
       [](auto& run) { return run.summary.updates_per_core_s.value_or(0.0); }}};
}

/// The table of the runs that are measured.
TextTable runs_table(const Comparison& comparison, bool for_csv) {
  std::vector<std::reference_wrapper<const ComparedRun>> measured;
  for (const ComparedRun& run : comparison.runs) {
    if (run.is_measured()) measured.emplace_back(run);
  }
  return table_of(columns_of(comparison), measured, for_csv);
}

TextTable published_table(const Comparison& comparison) {
  std::vector<std::string> header = {"published", "norm", "N", "value"};
  for (const Contender& contender : comparison.contenders) header.push_back(contender.label);
  header.emplace_back("source of the published value");
  TextTable table(std::move(header));
  for (const PublishedError& published : comparison.published) {
    if (!has_run_beside(comparison, published)) continue;
    const amr::PublishedValue& value = published.value;
    std::vector<std::string> row = {published_title(value.name), value.norm,
                                    fmt::format("{}", value.points),
                                    fmt::format("{:.4e}", value.value)};
    for (std::size_t at = 0; at < comparison.contenders.size(); ++at) {
      const ComparedRun* const run = run_beside(comparison, at, published);
      const auto error = run != nullptr ? error_of(run->summary, value.norm) : std::nullopt;
      row.push_back(error ? fmt::format("{:.4e}", *error) : kNothing);
    }
    row.push_back(value.source);
    table.add(std::move(row));
  }
  return table;
}

/// A note on the published errors without a run to compare with; empty if all have one.
std::string unmatched_note(const Comparison& comparison) {
  std::set<int> points;
  int count = 0;
  for (const PublishedError& error : comparison.published) {
    if (error.value.points == 0 || has_run_beside(comparison, error)) continue;
    points.insert(error.value.points);
    ++count;
  }
  if (count == 0) return {};
  return fmt::format(
      "{} not shown: to compare with, a run must last the case's whole time, and its finest level "
      "must have the spacing 1/{}",
      count == 1 ? "1 published error is" : fmt::format("{} published errors are", count),
      fmt::join(points, " or 1/"));
}

/// A note on the runs of a contender with more steps than by the file's CFL number; empty if none.
std::string steps_note(const Comparison& comparison, std::size_t contender) {
  const Contender& own = comparison.contenders[contender];
  if (own.cfl < own.file_cfl) {
    return fmt::format("{}: it takes CFL numbers only up to {:g}; the file's is {:g}", own.label,
                       own.cfl_limit, own.file_cfl);
  }
  std::string raised;
  for (const ComparedRun& run : comparison.runs) {
    if (run.contender != contender || run.steps == run.steps_in_proportion) continue;
    raised += fmt::format("{}{} instead of {} at {}", raised.empty() ? "" : ", ", run.steps,
                          run.steps_in_proportion, run.points);
  }
  if (raised.empty()) return raised;
  return fmt::format("* {}: it takes CFL numbers only up to {:g}; base steps: {}",
                     comparison.contenders[contender].label,
                     comparison.contenders[contender].cfl_limit, raised);
}

/// A note on a contender's interpolation in time, if contenders differ in it, or it is not the
/// file's.
std::string interpolation_note(const Comparison& comparison, const Contender& contender) {
  if (contender.interpolation != contender.file_interpolation) {
    return fmt::format(
        "{}: step.time_interpolation is {}; the file's, {}, does not suit the solver",
        contender.label, contender.interpolation, contender.file_interpolation);
  }
  const auto differs = [&](const Contender& other) {
    return other.interpolation != contender.interpolation;
  };
  const bool is_used = comparison.levels > 1;
  if (!is_used || std::ranges::none_of(comparison.contenders, differs)) {
    return {};
  }
  return fmt::format("{}: step.time_interpolation is {}", contender.label, contender.interpolation);
}

/// Notes on single contenders and runs.
std::vector<std::string> notes_of(const Comparison& comparison) {
  std::vector<std::string> notes;
  for (const Contender& contender : comparison.contenders) {
    notes.push_back(interpolation_note(comparison, contender));
  }
  for (std::size_t at = 0; at < comparison.contenders.size(); ++at) {
    notes.push_back(steps_note(comparison, at));
  }
  notes.push_back(unmatched_note(comparison));
  std::erase(notes, "");
  std::ranges::move(failures_of(comparison), std::back_inserter(notes));
  if (is_open(comparison)) {
    notes.push_back(
        fmt::format("{}: the domain is open, so that mass may enter and leave", drift_name(true)));
  }
  const auto missing = std::ranges::count_if(comparison.runs, [](const ComparedRun& run) {
    return !run.is_measured() && run.failure.empty();
  });
  if (missing > 0) {
    notes.push_back(fmt::format("{} of {} runs are missing", missing, comparison.runs.size()));
  }
  return notes;
}

std::string heading(const Comparison& comparison) {
  const std::string wall =
      comparison.repetitions == 1
          ? "one run of each"
          : fmt::format("wall time of {} of each",
                        repetitions_text(comparison.runs, comparison.repetitions));
  return fmt::format("case {}, {}, {}; orders of convergence in the {}", comparison.case_name,
                     backend_text(comparison), wall, norm_title(comparison.norm));
}

std::string report(const Comparison& comparison, bool markdown) {
  const auto text_of = [&](const TextTable& table) {
    return markdown ? table.markdown() : table.plain();
  };
  std::string text = heading(comparison) + (markdown ? ".\n\n" : "\n\n");
  text += text_of(runs_table(comparison, false));
  if (const TextTable published = published_table(comparison); !published.empty()) {
    text += "\nPublished errors, and ours with the same spacing, 1/N, on the finest level";
    text += (markdown ? ".\n\n" : ":\n") + text_of(published);
  }
  const std::vector<std::string> notes = notes_of(comparison);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) {
    const bool starred = note.starts_with('*');
    text += markdown ? "- " + (starred ? "\\" + note : note) + "\n" : note + "\n";
  }
  return text;
}

Json run_json(const Comparison& comparison, const ComparedRun& run) {
  Json json = {{"solver", contender_of(comparison, run).label},
               {"points", run.points},
               {"points_y", run.points_y},
               {"finest_points", run.finest_points},
               {"steps", run.steps},
               {"steps_in_proportion", run.steps_in_proportion},
               {"failure", run.failure.empty() ? Json() : Json(run.failure)}};
  if (!run.is_measured()) return json;
  if (run.steps == 0) json["steps"] = run.summary.steps;  // it has chosen them
  json["leaf_points"] = run.leaf_points();
  json["error"] = or_null(error_of(run.summary, comparison.norm));
  json["order"] = or_null(order_of(comparison, run));
  json["wall_s"] = {
      {"least", run.least_wall_s()}, {"median", run.median_wall_s()}, {"all", run.wall_s}};
  json["summary"] = io::to_json(run.summary);
  return json;
}

/// A line per contender through its runs, over what `work` gives of a run.
template <class Work>
viz::LineChart chart_of(const Comparison& comparison, const std::string& title, Work work) {
  viz::LineChart chart;
  chart.x = {title, viz::Scale::kLog};
  chart.y = {std::string(norm_title(comparison.norm)), viz::Scale::kLog};
  for (const Contender& contender : comparison.contenders) {
    chart.series.push_back({contender.label, {}});
  }
  for (const ComparedRun& run : comparison.runs) {
    if (!run.is_measured()) continue;
    const double error = error_of(run.summary, comparison.norm).value_or(0.0);
    const double x = work(run);
    if (error <= 0.0 || x <= 0.0) continue;
    chart.series[run.contender].points.push_back({x, error, fmt::format("{}", run.points)});
  }
  return chart;
}

/// The published errors in the plotted norm that have a run to compare with, or no known spacing.
std::vector<viz::ReferenceLine> references_of(const Comparison& comparison) {
  std::vector<viz::ReferenceLine> lines;
  for (const PublishedError& error : comparison.published) {
    const amr::PublishedValue& value = error.value;
    if (value.norm != comparison.norm || value.value <= 0.0) continue;
    if (value.points > 0 && !has_run_beside(comparison, error)) continue;
    const std::string title = published_title(value.name);
    lines.push_back(
        {value.value, value.points > 0 ? fmt::format("{}, 1/{}", title, value.points) : title});
  }
  return lines;
}

/// The report as Markdown, for a page of documentation.
std::string markdown_report(const Comparison& comparison) { return report(comparison, true); }

/// A line per run that is done, with every digit.
std::string csv_report(const Comparison& comparison) { return runs_table(comparison, true).csv(); }

/// Everything, with each run's summary as `kumiko run` writes it.
std::string json_report(const Comparison& comparison) {
  Json json;
  json["case"] = comparison.case_name;
  json["norm"] = comparison.norm;
  json["complete"] = comparison.complete;
  json["repetitions"] = comparison.repetitions;
  json["solvers"] = Json::array();
  for (const Contender& contender : comparison.contenders) {
    json["solvers"].push_back({{"label", contender.label},
                               {"solver", contender.solver},
                               {"keys", contender.overrides},
                               {"centring", centring_of(contender)},
                               {"order", contender.order},
                               {"cfl_limit", contender.cfl_limit},
                               {"time_interpolation", contender.interpolation}});
  }
  json["runs"] = Json::array();
  for (const ComparedRun& run : comparison.runs) {
    json["runs"].push_back(run_json(comparison, run));
  }
  json["published"] = Json::array();
  for (const auto& [value, contenders] : comparison.published) {
    json["published"].push_back({{"name", value.name},
                                 {"value", value.value},
                                 {"norm", value.norm},
                                 {"points", value.points > 0 ? Json(value.points) : Json()},
                                 {"source", value.source}});
  }
  json["notes"] = notes_of(comparison);
  return json.dump(2) + "\n";
}

/// Error against wall time and against point updates, as SVG. Leaves out what a log axis cannot
/// show.
std::string work_precision_picture(const Comparison& comparison) {
  std::vector<viz::LineChart> charts = {
      chart_of(comparison, fmt::format("wall time in s ({})", backend_text(comparison)),
               [](const ComparedRun& run) { return run.least_wall_s(); }),
      chart_of(comparison, "point updates", [](const ComparedRun& run) {
        return static_cast<double>(run.summary.work.updates());
      })};
  charts[0].references = charts[1].references = references_of(comparison);
  // Both charts have the same lines: their names stand at the right one.
  for (viz::ReferenceLine& line : charts[0].references) line.label.clear();
  viz::ChartPage page;
  page.title = fmt::format("Work and precision: case {}", comparison.case_name);
  page.caption = "Numbers next to the markers: points of level 0 in x";
  if (!charts[0].references.empty()) {
    page.caption += "; dashed lines: published errors, with the finest level's spacing";
  }
  return viz::draw_charts(charts, page);
}

}  // namespace

std::string plain_report(const Comparison& comparison) { return report(comparison, false); }

const std::array<SweepFile<Comparison>, 4> kComparisonFiles = {
    {{"compare.csv", csv_report},
     {"compare.json", json_report},
     {"compare.md", markdown_report},
     {"work_precision.svg", work_precision_picture}}};

}  // namespace kumiko::app
