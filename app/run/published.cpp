#include "run/published.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

/// Names of amr::PublishedValue that say which runs they are of: the coarse grid, AMR, the finest
/// level's grid; and ratios of two runs' wall times.
constexpr std::string_view kCoarseError = "rms.coarse";
constexpr std::string_view kAmrError = "rms.amr";
constexpr std::string_view kFineError = "rms.fine";
constexpr std::string_view kThreadsOverPthread = "wall.threads_over_pthread";
constexpr std::string_view kFineOverAmr = "wall.fine_over_amr";

std::optional<double> number_at(const Json& summary, const std::string& key) {
  const Json::json_pointer place(key);
  if (!summary.contains(place) || !summary.at(place).is_number()) return std::nullopt;
  return summary.at(place).get<double>();
}

bool is_uniform(const FinishedRun& run) { return run.setup->options.levels == 1; }

double finest_points_per_length(const Setup& setup) {
  return setup.finest_points_x() / setup.the_case->extent().x;
}

bool has_spacing_of(const Setup& setup, const amr::PublishedValue& value) {
  return std::abs(finest_points_per_length(setup) - value.points) < 0.5;
}

/// Of the case's time. Summaries of earlier versions have base steps alone.
double part_done(const FinishedRun& run) {
  if (!run.summary.contains("end_time")) {
    return run.summary.at("steps").get<double>() / run.setup->options.steps;
  }
  return run.summary.at("time").get<double>() / run.setup->the_case->end_time();
}

bool went_to_the_end(const FinishedRun& run) { return part_done(run) > 1.0 - 1e-9; }

/// True if a value is of such a run, as the names of some values say.
bool fits(const FinishedRun& run, std::string_view name) {
  if (name == kAmrError) return !is_uniform(run);
  if (name == kCoarseError || name == kFineError) return is_uniform(run);
  return true;
}

/// True if the finest level has patches at the end: else its spacing is nowhere.
bool has_finest_patches(const FinishedRun& run) {
  const Json::json_pointer place("/patches/per_level");
  if (!run.summary.contains(place)) return true;
  const Json& patches = run.summary.at(place);
  return patches.empty() || patches.back() != 0;
}

std::optional<double> error_beside(const FinishedRun& run, const amr::PublishedValue& value) {
  if (!has_spacing_of(*run.setup, value) || !went_to_the_end(run) || !fits(run, value.name) ||
      !has_finest_patches(run)) {
    return std::nullopt;
  }
  return number_at(run.summary, "/error/" + value.norm);
}

/// True if two runs solve the same on as many workers: to the same time, as fine at the finest.
bool are_comparable(const FinishedRun& one, const FinishedRun& other) {
  return one.setup != nullptr && other.setup != nullptr &&
         one.summary.at("case") == other.summary.at("case") &&
         one.summary.at("workers") == other.summary.at("workers") &&
         finest_points_per_length(*one.setup) == finest_points_per_length(*other.setup) &&
         std::abs(part_done(one) - part_done(other)) < 1e-9;
}

/// True if the ratio is that of `over`'s wall time to `under`'s.
bool is_ratio_of(std::string_view name, const FinishedRun& over, const FinishedRun& under) {
  if (!are_comparable(over, under)) return false;
  if (name == kFineOverAmr) {
    return is_uniform(over) && !is_uniform(under) && under.summary.at("backend") == "threads";
  }
  return name == kThreadsOverPthread && !is_uniform(over) && !is_uniform(under) &&
         over.summary.at("backend") == "threads" && under.summary.at("backend") == "pthread";
}

std::optional<double> ratio_beside(const FinishedRun& run, std::string_view name,
                                   std::span<const FinishedRun> runs) {
  for (const FinishedRun& other : runs) {
    if (!is_ratio_of(name, run, other)) continue;
    const auto over = number_at(run.summary, "/wall_s");
    const auto under = number_at(other.summary, "/wall_s");
    if (over && under && *under > 0.0) return *over / *under;
  }
  return std::nullopt;
}

/// The title of a value in a table; values without one keep their name.
std::string published_title(const std::string& name) {
  static const std::map<std::string_view, std::string> titles = {
      {kCoarseError, "error of the coarse grid"},
      {kAmrError, "error with AMR"},
      {kFineError, "error of the finest grid everywhere"},
      {kThreadsOverPthread, "wall time: threads ÷ pthread, AMR"},
      {kFineOverAmr, "wall time: finest grid everywhere ÷ AMR"}};
  const auto found = titles.find(name);
  return found == titles.end() ? name : found->second;
}

/// The title; with its number where the same is printed several times with different values.
std::string distinct_title(const amr::PublishedValue& value,
                           const std::vector<amr::PublishedValue>& all) {
  int alike = 0;
  int own = 0;
  for (const amr::PublishedValue& other : all) {
    if (other.name != value.name || other.norm != value.norm || other.points != value.points) {
      continue;
    }
    ++alike;
    if (other.value == value.value && own == 0) own = alike;
  }
  const std::string title = published_title(value.name);
  return alike > 1 ? fmt::format("{} ({} of {} published values)", title, own, alike) : title;
}

viz::PublishedRow& row_of(std::vector<viz::PublishedRow>& rows, const amr::PublishedValue& value,
                          const std::vector<amr::PublishedValue>& all, std::size_t runs) {
  const std::string title = distinct_title(value, all);
  const auto found = std::ranges::find_if(rows, [&](const viz::PublishedRow& row) {
    return row.name == title && row.norm == value.norm && row.points == value.points &&
           row.value == value.value;
  });
  if (found != rows.end()) return *found;
  rows.push_back({title, value.norm, value.points, value.value, value.source, {}});
  rows.back().ours.resize(runs);
  return rows.back();
}

/// The reason why published values are left out: the runs that would be comparable.
std::string about_others(std::size_t others, std::span<const FinishedRun> runs) {
  if (others == 0) return {};
  std::string text = fmt::format(
      "{} published {} left out, since no run here is comparable: an error needs a run of all time "
      "steps on a grid of the same spacing, and a ratio of wall times needs both runs.",
      others, others == 1 ? "value is" : "values are");
  for (const FinishedRun& run : runs) {
    if (run.setup == nullptr || went_to_the_end(run)) continue;
    const int steps = run.setup->options.steps;
    text += fmt::format(" A run of this report ended after {}{} base steps.",
                        run.summary.at("steps").get<std::int64_t>(),
                        steps > 0 ? fmt::format(" of {}", steps) : std::string());
    break;
  }
  return text;
}

}  // namespace

PublishedTable published_table(std::span<const FinishedRun> runs) {
  std::vector<viz::PublishedRow> rows;
  for (std::size_t at = 0; at < runs.size(); ++at) {
    if (runs[at].setup == nullptr) continue;
    const std::vector<amr::PublishedValue> all = runs[at].setup->the_case->published_values();
    for (const amr::PublishedValue& value : all) {
      row_of(rows, value, all, runs.size()).ours[at] =
          value.norm.empty() ? ratio_beside(runs[at], value.name, runs)
                             : error_beside(runs[at], value);
    }
  }
  const std::size_t others = std::erase_if(rows, [](const viz::PublishedRow& row) {
    return std::ranges::none_of(row.ours, [](const auto& value) { return value.has_value(); });
  });
  return {std::move(rows), about_others(others, runs)};
}

}  // namespace kumiko::app
