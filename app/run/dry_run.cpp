#include "run/dry_run.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "run/description.hpp"
#include "run/forecast.hpp"
#include "run/ranks.hpp"
#include "run/run_parts.hpp"
#include "run/setup_warnings.hpp"
#include "terminal/counted.hpp"
#include "terminal/summary_file.hpp"

namespace kumiko::app {

namespace {

std::size_t sum_of(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::string size_text(double bytes) {
  constexpr double kGiga = 1e9;
  constexpr double kMega = 1e6;
  if (bytes >= kGiga) return fmt::format("{:.3g} GB", bytes / kGiga);
  if (bytes >= kMega) return fmt::format("{:.3g} MB", bytes / kMega);
  return fmt::format("{:.3g} kB", bytes * 1e-3);
}

std::string size_text(std::size_t bytes) { return size_text(static_cast<double>(bytes)); }

std::string duration_text(double seconds) {
  constexpr double kMinute = 60.0;
  constexpr double kHour = 3600.0;
  if (seconds >= 2.0 * kHour) return fmt::format("{:.1f} h", seconds / kHour);
  if (seconds >= 2.0 * kMinute) return fmt::format("{:.1f} min", seconds / kMinute);
  return fmt::format("{:.2g} s", seconds);
}

/// Says whether the run would make, continue or replace the folder.
const char* folder_text(const Start& start) {
  std::error_code hidden;
  if (!std::filesystem::exists(start.path, hidden)) return "does not exist yet";
  if (start.earlier == io::Earlier::kContinue) return "holds the run that continues";
  const bool holds_run = io::OutputFolder::holds_run(start.path);
  return holds_run ? "its run would be replaced" : "is empty";
}

std::string mesh_lines(const Forecast& forecast) {
  std::vector<std::size_t> points = forecast.patches;
  for (std::size_t& count : points) count *= amr::kPatchPoints;
  const amr::MemoryUse& memory = forecast.memory;
  std::string text;
  text +=
      fmt::format("levels               {}, of which {} have patches\n", forecast.patches.size(),
                  std::ranges::count_if(forecast.patches, [](auto n) { return n > 0; }));
  text += fmt::format("patches per level    {}  (together {})\n", fmt::join(forecast.patches, ", "),
                      sum_of(forecast.patches));
  text += fmt::format("points per level     {}  (together {})\n", fmt::join(points, ", "),
                      sum_of(points));
  text += fmt::format("memory               {} for patches, {} for the rest\n",
                      size_text(memory.patch_bytes), size_text(memory.metadata_bytes));
  text += fmt::format("                     {} more while a file is written\n",
                      size_text(forecast.writing_bytes));
  return text;
}

std::string steps_lines(const Setup& setup, const Forecast& forecast) {
  const double cfl = setup.options.cfl;
  std::string text;
  if (forecast.steps > 0) {
    text += fmt::format(
        "first base step      length {:.6g}, CFL number {:.3g} at most ({})\n", forecast.first_dt,
        forecast.largest_cfl,
        cfl > 0.0 ? fmt::format("time.cfl is {:g}", cfl)
                  : fmt::format("the solver takes up to {:g}", setup.solver->traits().cfl_limit));
  }
  text += fmt::format("base steps           {}{}\n", forecast.steps,
                      forecast.is_estimate ? ", an estimate: all as long as the first one" : "");
  if (forecast.is_estimate && forecast.steps >= Setup::kNoStep) {
    text += "                     as many as a run may have, and too few to reach its end\n";
  }
  text += fmt::format(
      "point updates        {:.0f} a base step  ({:.2f} % of the uniform finest grid)\n",
      forecast.updates, 100.0 * forecast.of_uniform);
  if (forecast.steps == 0) return text;
  text += fmt::format(
      "expected time        {}, a rough forecast if the mesh stays as it is: a base step took {}\n",
      duration_text(forecast.wall_s()), duration_text(forecast.step_s));
  const double limit = setup.run.wall_limit_s;
  if (limit > 0.0 && forecast.wall_s() > limit) {
    text += fmt::format("                     time.wall_limit, {}, would end the run before\n",
                        duration_text(limit));
  }
  return text;
}

/// "about 12 files"; a single one is sure.
std::string about(std::int64_t count, bool is_estimate, std::string_view one) {
  return (is_estimate && count > 1 ? "about " : "") + counted(count, one);
}

std::string files_lines(const Start& start, const Forecast& forecast) {
  const io::RunOptions& run = start.setup.run;
  const FileCounts& files = forecast.files;
  const bool is_packed = run.compression != io::Compression::kNone;
  const char* const size = is_packed ? "of at most" : "of";
  std::string text = files.states == 0
                         ? "states               none\n"
                         : fmt::format("states               {} {} {}\n",
                                       about(files.states, forecast.is_estimate, "file"), size,
                                       size_text(forecast.state_bytes));
  if (files.checkpoints == 0) {
    text += "checkpoints          none\n";
  } else {
    const bool is_estimate = forecast.is_estimate || run.checkpoints.seconds > 0.0;
    text += fmt::format("checkpoints          {} {} {}; the newest {} stay\n",
                        about(files.checkpoints, is_estimate, "file"), size,
                        size_text(forecast.checkpoint_bytes), run.checkpoints_kept);
  }
  text += fmt::format("diagnostics.csv      {}\n", about(files.rows, forecast.is_estimate, "row"));
  if (!run.records.empty()) {
    text += fmt::format("records              {}\n", counted(run.records.size(), "file"));
  }
  text += fmt::format("sizes of files       as laid out in memory for this mesh{}\n",
                      is_packed ? ", before compression" : "");
  text += fmt::format("folder               {}/  ({}; nothing was written)\n", start.path.string(),
                      folder_text(start));
  return text;
}

std::string choices_lines(const std::vector<Choice>& choices) {
  std::string text = choices.empty() ? "" : "keys resolved\n";
  for (const Choice& choice : choices) {
    text += fmt::format("  {:<25}{} -> {}  ({})\n", choice.key,
                        choice.given.empty() ? "not set" : choice.given, choice.used, choice.why);
  }
  return text;
}

std::string forecast_text(const Start& start, const Forecast& forecast, const amr::Backend& backend,
                          const amr::Simulation& simulation, bool writes_files) {
  const Setup& setup = start.setup;
  const std::size_t ranks = simulation.workers_by_rank().size();
  std::string text = fmt::format("case {}  solver {}  backend {}  {}workers {}  schedule {}\n",
                                 setup.run.case_name, setup.solver->traits().name, backend.name(),
                                 ranks > 1 ? fmt::format("ranks {}  ", ranks) : "",
                                 simulation.workers(), simulation.schedule());
  text += mesh_lines(forecast);
  text += steps_lines(start.setup, forecast);
  if (writes_files) text += files_lines(start, forecast);
  text += choices_lines(forecast.choices);
  return text;
}

nlohmann::ordered_json choices_json(const std::vector<Choice>& choices) {
  auto json = nlohmann::ordered_json::array();
  for (const Choice& choice : choices) {
    auto& entry = json.emplace_back();
    entry["key"] = choice.key;
    entry["given"] = nullptr;
    if (!choice.given.empty()) entry["given"] = choice.given;
    entry["used"] = choice.used;
    entry["why"] = choice.why;
  }
  return json;
}

nlohmann::ordered_json files_json(const Start& start, const Forecast& forecast) {
  const io::RunOptions& run = start.setup.run;
  nlohmann::ordered_json json;
  json["folder"] = start.path.string();
  json["compressed"] = run.compression != io::Compression::kNone;
  json["states"] = {{"count", forecast.files.states}, {"bytes", forecast.state_bytes}};
  json["checkpoints"] = {
      {"count", forecast.files.checkpoints},
      {"kept", std::min<std::int64_t>(forecast.files.checkpoints, run.checkpoints_kept)},
      {"bytes", forecast.checkpoint_bytes}};
  json["diagnostics_rows"] = forecast.files.rows;
  json["records"] = run.records.size();
  return json;
}

nlohmann::ordered_json forecast_json(const Start& start, const Forecast& forecast,
                                     const amr::Backend& backend,
                                     const amr::Simulation& simulation) {
  const Setup& setup = start.setup;
  nlohmann::ordered_json json;
  json["case"] = setup.run.case_name;
  json["solver"] = setup.solver->traits().name;
  json["backend"] = backend.name();
  json["ranks"] = simulation.workers_by_rank().size();
  json["workers"] = simulation.workers();
  json["schedule"] = simulation.schedule();
  json["restart"] = nullptr;
  if (start.from) json["restart"] = start.from->file.string();
  json["step"] = forecast.step;
  json["time"] = forecast.time;
  json["end_time"] = simulation.end_time();
  json["levels"] = forecast.patches.size();
  json["patches"] = {{"total", sum_of(forecast.patches)}, {"per_level", forecast.patches}};
  json["points"] = forecast.memory.points;
  json["memory"] = {{"patch_bytes", forecast.memory.patch_bytes},
                    {"metadata_bytes", forecast.memory.metadata_bytes},
                    {"writing_bytes", forecast.writing_bytes}};
  json["first_step"] = {{"length", forecast.first_dt},
                        {"largest_cfl", forecast.largest_cfl},
                        {"cfl_limit", setup.solver->traits().cfl_limit}};
  json["base_steps"] = {{"count", forecast.steps}, {"is_estimate", forecast.is_estimate}};
  json["updates_per_base_step"] = forecast.updates;
  json["fraction_of_uniform"] = forecast.of_uniform;
  json["step_s"] = forecast.step_s;
  json["wall_s"] = forecast.wall_s();
  json["files"] = files_json(start, forecast);
  json["keys"] = choices_json(forecast.choices);
  return json;
}

}  // namespace

int print_config(RunRequest& request, Ranks& ranks) {
  const bool has_json = request.summary == kStdout;
  request.summary = kStdout;
  std::string text;
  ranks.join([&]() -> Ranks::Prepared {
    prepare_to_step(request);
    const Start start = start_of(request, false);
    if (!has_json) check_parts(start.setup, ranks.size());
    if (ranks.leads()) warn_of(start.setup);
    text = has_json ? description_of(start.setup).dump(2) + "\n" : start.setup.config.to_toml();
    return {nullptr, {{"configuration", text}}};
  });
  if (ranks.leads()) write_summary(kStdout, text);
  return kDone;
}

void print_forecast(const RunRequest& request, const Start& start, const amr::Backend& backend,
                    amr::Simulation& simulation) {
  const Forecast forecast = forecast_of(request, start, backend, simulation);
  warn_above_uniform(start.setup, forecast.of_uniform, "the first mesh makes");
  if (!request.quiet) {
    fmt::print("{}", forecast_text(start, forecast, backend, simulation, !request.no_files));
  }
  if (request.summary != kStdout) return;
  write_summary(kStdout, forecast_json(start, forecast, backend, simulation).dump(2) + "\n");
}

}  // namespace kumiko::app
