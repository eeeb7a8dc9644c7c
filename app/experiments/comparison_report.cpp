#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kumiko/viz/line_chart.hpp>

#include "counted.hpp"
#include "experiments/comparison.hpp"
#include "published.hpp"
#include "text_table.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNothing = "-";
std::string error_text(const std::optional<double>& error) {
  return error ? fmt::format("{:.4e}", *error) : kNothing;
}

std::string norm_title(std::string_view norm) {
  if (norm == "rms") return "RMS error";
  if (norm == "l1_relative") return "relative L1 error";
  return norm == "l1" ? "L1 error (integral over the domain)" : "largest error";
}

const Contender& contender_of(const Comparison& comparison, const ComparedRun& run) {
  return comparison.contenders[run.contender];
}

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

TextTable runs_table(const Comparison& comparison) {
  TextTable table({"solver", "N", "steps", "points", "RMS", "rel. L1", "L1", "Linf", "order", "min",
                   "max", "mass drift", "least s", "median s", "updates", "updates/s/core"});
  for (std::size_t at = 0; at < comparison.runs.size(); ++at) {
    const ComparedRun& run = comparison.runs[at];
    if (!run.is_measured()) continue;
    const io::RunSummary& summary = run.summary;
    const std::optional<double> order = order_of(comparison, at);
    table.add({contender_of(comparison, run).label, resolution_text(run),
               fmt::format("{}{}", summary.steps, run.steps > run.steps_in_proportion ? "*" : ""),
               fmt::format("{}", run.leaf_points()), error_text(summary.rms),
               error_text(summary.l1_relative), error_text(summary.l1), error_text(summary.linf),
               order ? fmt::format("{:.2f}", *order) : kNothing,
               fmt::format("{:.4f}", summary.minimum), fmt::format("{:.4f}", summary.maximum),
               summary.mass_drift ? fmt::format("{:.1e}", *summary.mass_drift) : kNothing,
               fmt::format("{:.4g}", run.least_wall_s()),
               fmt::format("{:.4g}", run.median_wall_s()), fmt::format("{}", summary.updates_total),
               fmt::format("{:.3g}", summary.updates_per_core_s.value_or(0.0))});
  }
  return table;
}

/// A contender's run that a published value can stand beside: to the end, with its spacing on the
/// finest level.
const ComparedRun* run_beside(const Comparison& comparison, std::size_t contender,
                              const amr::PublishedValue& value) {
  const auto found = std::ranges::find_if(comparison.runs, [&](const ComparedRun& run) {
    return run.contender == contender && run.points_per_length == value.points &&
           run.is_measured() && run.summary.steps == run.steps &&
           is_published_for(comparison.contenders[contender], value);
  });
  return found == comparison.runs.end() ? nullptr : &*found;
}

bool has_run_beside(const Comparison& comparison, const amr::PublishedValue& value) {
  for (std::size_t at = 0; at < comparison.contenders.size(); ++at) {
    if (run_beside(comparison, at, value) != nullptr) return true;
  }
  return false;
}

TextTable published_table(const Comparison& comparison) {
  std::vector<std::string> header = {"published", "norm", "N", "value"};
  for (const Contender& contender : comparison.contenders) header.push_back(contender.label);
  header.emplace_back("source of the published value");
  TextTable table(std::move(header));
  for (const amr::PublishedValue& value : comparison.published) {
    if (!has_run_beside(comparison, value)) continue;
    std::vector<std::string> row = {published_title(value.name), value.norm,
                                    fmt::format("{}", value.points),
                                    fmt::format("{:.4e}", value.value)};
    for (std::size_t at = 0; at < comparison.contenders.size(); ++at) {
      const ComparedRun* const run = run_beside(comparison, at, value);
      row.push_back(run ? error_text(error_of(run->summary, value.norm)) : kNothing);
    }
    row.push_back(value.source);
    table.add(std::move(row));
  }
  return table;
}

/// Which published errors stand beside no run; empty where all do.
std::string unmatched_note(const Comparison& comparison) {
  std::set<int> points;
  int count = 0;
  for (const amr::PublishedValue& value : comparison.published) {
    if (value.points == 0 || has_run_beside(comparison, value)) continue;
    points.insert(value.points);
    ++count;
  }
  if (count == 0) return {};
  return fmt::format(
      "{} published error{} no run here with all its time steps and the same spacing on the finest "
      "level, 1/{}",
      count, count == 1 ? " has" : "s have", fmt::join(points, " or 1/"));
}

/// Which runs of a contender have more steps than the file's CFL number asks for; empty if none.
std::string steps_note(const Comparison& comparison, std::size_t contender) {
  std::string raised;
  for (const ComparedRun& run : comparison.runs) {
    if (run.contender != contender || run.steps == run.steps_in_proportion) continue;
    raised += fmt::format("{}{} instead of {} at {}", raised.empty() ? "" : ", ", run.steps,
                          run.steps_in_proportion, run.points);
  }
  if (raised.empty()) return raised;
  return fmt::format("* {}: it takes CFL numbers up to {:g} only; base steps: {}",
                     comparison.contenders[contender].label,
                     comparison.contenders[contender].cfl_limit, raised);
}

/// Where contenders differ in how ghosts are interpolated in time, or from the file.
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

/// What a reader must know of single contenders and runs.
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
  for (const ComparedRun& run : comparison.runs) {
    if (run.failure.empty()) continue;
    notes.push_back(fmt::format("{} at {} failed: {}", contender_of(comparison, run).label,
                                run.points, run.failure));
  }
  const bool is_open =
      std::ranges::any_of(comparison.runs, &io::RunSummary::open_domain, &ComparedRun::summary);
  if (is_open) {
    notes.emplace_back("mass drift: the domain is open, so that mass may enter and leave");
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
  const std::string wall = comparison.repetitions == 1 ? "one run of each"
                                                       : fmt::format("wall time of {} runs of each",
                                                                     comparison.repetitions);
  return fmt::format("case {}, {}, {}; order by the {}", comparison.case_name,
                     backend_text(comparison), wall, norm_title(comparison.norm));
}

std::string report(const Comparison& comparison, bool markdown) {
  const auto text_of = [&](const TextTable& table) {
    return markdown ? table.markdown() : table.plain();
  };
  std::string text = heading(comparison) + (markdown ? ".\n\n" : "\n\n");
  text += text_of(runs_table(comparison));
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

std::string quoted(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json run_json(const Comparison& comparison, std::size_t at) {
  const ComparedRun& run = comparison.runs[at];
  Json json = {{"solver", contender_of(comparison, run).label},
               {"points", run.points},
               {"points_y", run.points_y},
               {"finest_points", run.finest_points},
               {"steps", run.steps},
               {"steps_in_proportion", run.steps_in_proportion},
               {"failure", run.failure.empty() ? Json() : Json(run.failure)}};
  if (!run.is_measured()) return json;
  json["leaf_points"] = run.leaf_points();
  json["error"] = or_null(error_of(run.summary, comparison.norm));
  json["order"] = or_null(order_of(comparison, at));
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
  chart.y = {norm_title(comparison.norm), viz::Scale::kLog};
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

/// Those of the plotted norm that stand beside a run, or whose spacing is not known.
std::vector<viz::ReferenceLine> references_of(const Comparison& comparison) {
  std::vector<viz::ReferenceLine> lines;
  for (const amr::PublishedValue& value : comparison.published) {
    if (value.norm != comparison.norm || value.value <= 0.0) continue;
    if (value.points > 0 && !has_run_beside(comparison, value)) continue;
    const std::string title = published_title(value.name);
    lines.push_back(
        {value.value, value.points > 0 ? fmt::format("{}, 1/{}", title, value.points) : title});
  }
  return lines;
}

/// The report as Markdown, for a page of documentation.
std::string markdown_report(const Comparison& comparison) { return report(comparison, true); }

/// A line per run that is done, with every digit.
std::string csv_report(const Comparison& comparison) {
  std::string text =
      "solver,points,finest_points,centring,steps,steps_in_proportion,leaf_points,rms,l1_relative,"
      "l1,linf,order,min,max,mass_drift,wall_least_s,wall_median_s,repetitions,updates,updates_per_"
      "core_s\n";
  for (std::size_t at = 0; at < comparison.runs.size(); ++at) {
    const ComparedRun& run = comparison.runs[at];
    if (!run.is_measured()) continue;
    const io::RunSummary& summary = run.summary;
    const Contender& contender = contender_of(comparison, run);
    text += fmt::format("{},{},{},{},{},{},{},", quoted(contender.label), run.points,
                        run.finest_points, contender.cells ? "cell" : "node", run.steps,
                        run.steps_in_proportion, run.leaf_points());
    text += fmt::format("{},{},{},{},{},", csv_number(summary.rms), csv_number(summary.l1_relative),
                        csv_number(summary.l1), csv_number(summary.linf),
                        csv_number(order_of(comparison, at)));
    text += fmt::format("{},{},{},{},{},{},{},{}\n", summary.minimum, summary.maximum,
                        csv_number(summary.mass_drift), run.least_wall_s(), run.median_wall_s(),
                        run.wall_s.size(), summary.updates_total,
                        summary.updates_per_core_s.value_or(0.0));
  }
  return text;
}

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
                               {"centring", contender.cells ? "cell" : "node"},
                               {"order", contender.order},
                               {"cfl_limit", contender.cfl_limit},
                               {"time_interpolation", contender.interpolation}});
  }
  json["runs"] = Json::array();
  for (std::size_t at = 0; at < comparison.runs.size(); ++at) {
    json["runs"].push_back(run_json(comparison, at));
  }
  json["published"] = Json::array();
  for (const amr::PublishedValue& value : comparison.published) {
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
        return static_cast<double>(run.summary.updates_total);
      })};
  charts[0].references = charts[1].references = references_of(comparison);
  // Both charts have the same lines: their names stand at the right one.
  for (viz::ReferenceLine& line : charts[0].references) line.label.clear();
  viz::ChartPage page;
  page.title = fmt::format("Work and precision: case {}", comparison.case_name);
  page.caption = "Numbers beside the markers: points of level 0 in x";
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
