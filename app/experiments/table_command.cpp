#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/sweep.hpp"
#include "options/commands.hpp"
#include "run/published.hpp"
#include "run/run_parts.hpp"
#include "run/setup_warnings.hpp"
#include "run/signals.hpp"
#include "terminal/counted.hpp"
#include "terminal/summary_file.hpp"

namespace kumiko::app {

namespace {

/// One run of the tables: the configuration with some keys changed, on a backend.
struct Row {
  std::string id;  ///< in the JSON
  std::string label;
  std::string backend;
  io::Changes changes;
  std::string_view error;      ///< the published error's name; may be empty
  std::string published = {};  ///< that error, where it is of such a run; else "-"
  io::RunSummary summary = {};
};

/// The thesis's runs: the coarse grid, AMR on two backends, the finest level's grid without AMR.
using Rows = std::array<Row, 4>;

Rows rows_of(const Setup& base) {
  const amr::SimulationOptions& options = base.options;
  const std::int64_t scale = std::int64_t{1} << (options.levels - 1);
  const std::int64_t substeps = options.subcycling ? scale : 1;
  const auto grid = [&](std::int64_t factor) {
    return std::vector<std::int64_t>{options.points_x * factor, options.points_y * factor};
  };
  const io::Changes::value_type uniform = {"amr.levels", std::int64_t{1}};
  io::Changes of_fine = {uniform, {"grid.base", grid(scale)}};
  if (options.steps > 0) {
    of_fine.push_back({"time.steps", options.steps * substeps});
    of_fine.push_back({"time.stop_step", base.stop_step * substeps});
  }
  return {{{"coarse",
            fmt::format("coarse only ({})", options.points_x),
            "threads",
            {uniform},
            kCoarseError},
           {"amr_threads",
            fmt::format("AMR ({} to {}), threads", options.points_x, base.finest_points_x()),
            "threads",
            {},
            kAmrError},
           {"amr_pthread",
            fmt::format("AMR ({} to {}), pthread", options.points_x, base.finest_points_x()),
            "pthread",
            {},
            {}},
           {"fine", fmt::format("NoAMR ({}), OpenMP", base.finest_points_x()), "openmp", of_fine,
            kFineError}}};
}

std::string rms_of(const io::RunSummary& summary) {
  return summary.errors ? fmt::format("{:.3e}", summary.errors->rms) : "-";
}

/// The reason why the case's published errors are not in the table; empty if it has none.
std::string why_no_errors(const Setup& base) {
  std::set<int> spacings;
  for (const amr::PublishedValue& value : base.the_case->published_values()) {
    for (const std::string_view name : {kCoarseError, kAmrError, kFineError}) {
      if (value.name == name) spacings.insert(value.points);
    }
  }
  if (spacings.empty()) return {};
  return fmt::format(
      "No published error stands here: they are for the case's whole time and the spacings 1/{}.\n",
      fmt::join(spacings, " and 1/"));
}

void print_errors(const Setup& base, std::initializer_list<const Row*> rows, const Row& fine) {
  const bool has_published =
      std::ranges::any_of(rows, [](const Row* row) { return row->published != "-"; });
  const auto cell = [&](const std::string& text) {
    return has_published ? fmt::format("{:>12}", text) : std::string();
  };
  fmt::print("\nTable 6.1  RMS error\n");
  fmt::print("{:<30}{}{:>12}{:>16}\n", "", cell("thesis"), "Kumiko", "updates / fine");
  const double all = static_cast<double>(fine.summary.work.updates());
  for (const Row* row : rows) {
    fmt::print("{:<30}{}{:>12}{:>14.2f} %\n", row->label, cell(row->published),
               rms_of(row->summary),
               100.0 * static_cast<double>(row->summary.work.updates()) / all);
  }
  if (!has_published) fmt::print("{}", why_no_errors(base));
}

void print_times(const Setup& base, const Row& threads, const Row& pthread, const Row& fine) {
  const std::string over_pthread = published_text(base, kThreadsOverPthread, "{:.2f}");
  const std::string over_amr = published_text(base, kFineOverAmr, "{:.1f}");
  const bool has_published = over_pthread != "-" || over_amr != "-";
  const auto cell = [&](const std::string& text) {
    return has_published ? fmt::format("{:>16}", text) : std::string();
  };
  const double wall = threads.summary.wall_s;
  fmt::print("\nTable 6.2  Wall time, {}\n", counted(threads.summary.workers, "worker"));
  fmt::print("{:<30}{:>12}{:>12}{}\n", "", "seconds", "ratio", cell("thesis's ratio"));
  fmt::print("{:<30}{:>12.2f}\n", threads.label, wall);
  fmt::print("{:<30}{:>12.2f}\n", pthread.label, pthread.summary.wall_s);
  fmt::print("{:<30}{:>12.2f}\n", fine.label, fine.summary.wall_s);
  fmt::print("{:<42}{:>12.2f}{}\n", "AMR (threads) / AMR (pthread)", wall / pthread.summary.wall_s,
             cell(over_pthread));
  fmt::print("{:<42}{:>12.2f}{}\n", "NoAMR (OpenMP) / AMR (threads)", fine.summary.wall_s / wall,
             cell(over_amr));
}

void print_imbalance(const Row& threads, const Row& pthread) {
  fmt::print("\nImbalance, {} (largest over mean work; 1 is perfect)\n",
             counted(threads.summary.workers, "worker"));
  for (const Row* row : {&threads, &pthread}) {
    fmt::print("{:<30}{:>12.3f}\n", row->label, row->summary.work.imbalance());
  }
}

nlohmann::ordered_json table_json(const amr::Case& the_case, const Rows& rows) {
  nlohmann::ordered_json json;
  json["runs"] = nlohmann::ordered_json::object();
  for (const Row& row : rows) json["runs"][row.id] = io::to_json(row.summary);
  const auto& [coarse, threads, pthread, fine] = rows;
  const double base = threads.summary.wall_s;
  json["ratios"][kThreadsOverPthread] = base / pthread.summary.wall_s;
  json["ratios"][kFineOverAmr] = fine.summary.wall_s / base;
  json["published"] = nlohmann::ordered_json::array();
  for (const amr::PublishedValue& value : the_case.published_values()) {
    json["published"].push_back(
        {{"name", value.name}, {"value", value.value}, {"source", value.source}});
  }
  return json;
}

/// The runs that had ended when another failed or was interrupted.
void print_ended(const Rows& rows, std::size_t ended) {
  fmt::print("\nRuns that ended before\n{:<30}{:>12}{:>12}\n", "", "RMS error", "seconds");
  for (const Row& row : std::span(rows).first(ended)) {
    fmt::print("{:<30}{:>12}{:>12.2f}\n", row.label, rms_of(row.summary), row.summary.wall_s);
  }
}

int print_tables(CaseRequest& request) {
  refuse_quiet_for_nothing(request, {}, "tables", "name a file by --summary");
  prepare_to_step(request);
  const Setup base = load_setup(request);
  refuse_if(base.options.steps == 0 && base.run.stop_step > 0,
            "time.stop_step is {}, but runs that choose their steps by time.cfl stop at different "
            "times then; set time.end instead",
            base.run.stop_step);
  warn_of(base);
  Rows rows = rows_of(base);
  // A wrong request is refused before the first run, not after an hour.
  prepare_summary(request.summary);
  for (Row& row : rows) {
    const Setup setup = load_setup(request, row.changes);
    row.published = published_text(setup, row.error, "{:.3e}");
    make_simulation(setup, *load_backend(row.backend, setup));
  }
  heed_signals(false);
  std::size_t ended = 0;
  try {
    for (Row& row : rows) {
      row.summary = measure(request, load_setup(request, row.changes), row.backend, row.label);
      ++ended;
    }
  } catch (const std::exception&) {
    if (ended > 0 && !request.quiet) print_ended(rows, ended);
    throw;
  }
  const auto& [coarse, threads, pthread, fine] = rows;
  if (!request.quiet) {
    print_errors(base, {&coarse, &threads, &fine}, fine);
    print_times(base, threads, pthread, fine);
    print_imbalance(threads, pthread);
  }
  write_summary(request.summary, table_json(*base.the_case, rows).dump(2) + "\n");
  return kDone;
}

}  // namespace

Action table_command(Options& options) {
  const auto request = std::make_shared<CaseRequest>();
  add_case(options, *request);
  return [request] { return print_tables(*request); };
}

}  // namespace kumiko::app
