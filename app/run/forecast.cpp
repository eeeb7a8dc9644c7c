#include "run/forecast.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <kumiko/io/checkpoint.hpp>

#include "run/complete_run.hpp"
#include "run/due.hpp"
#include "run/run_parts.hpp"
#include "run/run_summary.hpp"

namespace kumiko::app {

namespace {

/// Counts what execute() writes, which leaves out a checkpoint where a state is written anyway.
FileCounts count_files(const Start& start, const Forecast& forecast, bool is_exact) {
  const io::RunOptions& run = start.setup.run;
  const bool goes_on = start.earlier == io::Earlier::kContinue;
  const auto is_there = [&](const char* name) {
    std::error_code hidden;
    return std::filesystem::exists(start.path / name, hidden);
  };
  const bool has_rows =
      goes_on && (is_there("diagnostics.csv") || is_there("diagnostics.csv.part"));
  FileCounts files{.rows = has_rows || is_done_here(start) ? 0 : 1};
  if (forecast.steps == 0) return {.states = has_last_state(start) ? 0 : 1, .rows = files.rows};
  if (!start.from && run.writes_initial_state()) files.states = 1;
  const Due rows(run.diagnostics_every, amr::Times(run.diagnostics_interval));
  const Due states(run.output_every, run.times_of_output());
  const Due checkpoints(run.checkpoints.steps, amr::Times(run.checkpoint_interval));
  constexpr double kRounded = 1e-9;  // of a step: a time that it is to end at
  const double dt = forecast.first_dt;
  const auto last = static_cast<int>(forecast.step + forecast.steps);
  double reached = forecast.reached;
  for (int step = forecast.step; step < last;) {
    const double before = reached;
    const double time = forecast.time + dt * (step - forecast.step) + (is_exact ? 0.0 : 0.5 * dt);
    const double next =
        std::min({rows.next(before), states.next(before), checkpoints.next(before)});
    const double to_next =
        std::clamp(std::ceil((next - time) / dt - kRounded), 1.0, 1.0 * kLongestRound);
    const int taken = std::min({last - step, static_cast<int>(to_next), rows.steps_left(step),
                                states.steps_left(step), checkpoints.steps_left(step)});
    step += taken;
    reached = std::max(before, time + (taken + kRounded) * dt);
    const bool is_last = step == last;
    const bool is_state = is_last || states.is_now(step, before, reached);
    if (is_state) ++files.states;
    if (is_last || rows.is_now(step, before, reached)) ++files.rows;
    if (!is_state && checkpoints.is_now(step, before, reached)) ++files.checkpoints;
  }
  if (run.checkpoints.seconds > 0.0) {
    files.checkpoints += static_cast<std::int64_t>(forecast.wall_s() / run.checkpoints.seconds);
  }
  return files;
}

/// The size of a file of the run as it stands.
std::uint64_t file_bytes(const Start& start, const amr::Simulation& simulation,
                         const amr::SavedRun& saved, bool with_extras) {
  const Setup& setup = start.setup;
  io::Checkpoint checkpoint{{}, saved};
  io::RunAttributes& attributes = checkpoint.attributes;
  attributes.time = simulation.time();
  attributes.dt = simulation.dt();
  attributes.subcycling = setup.options.subcycling;
  attributes.configuration = setup.config.state_toml();
  std::vector<std::string>& names = attributes.component_names;
  names = setup.the_case->component_names();
  attributes.initial_masses.resize(names.size());
  if (start.from) attributes.lineage = start.from->checkpoint.attributes.lineage;
  attributes.begun_from = setup.begun_from;
  if (with_extras) names.insert(names.end(), amr::kExtraNames.begin(), amr::kExtraNames.end());
  return io::checkpoint_bytes(checkpoint, simulation.hierarchy().geometry());
}

/// Keys that do not say literally what the run does.
class Choices {
 public:
  explicit Choices(const Setup& setup) : setup_(setup) {}

  void add(const std::string& key, std::string used, std::string why) {
    const std::string given = setup_.source.written(key);
    if (given != used) list_.push_back({key, given, std::move(used), std::move(why)});
  }
  /// Where nothing gives the key a value, or the one that leaves the choice to the run.
  void add_if_left(const std::string& key, std::string_view left, std::string used,
                   std::string why) {
    const std::string given = setup_.source.written(key);
    if (given.empty() || given == left) add(key, std::move(used), std::move(why));
  }
  std::vector<Choice> take() { return std::move(list_); }

 private:
  const Setup& setup_;
  std::vector<Choice> list_;
};

void add_steps(const Setup& setup, const amr::Simulation& simulation, std::int64_t last,
               Choices& choices) {
  if (setup.options.steps == 0) {
    choices.add("time.steps", fmt::format("about {}", last),
                "estimate: time.cfl chooses the length of the steps");
  } else if (setup.run.stop_step == 0) {
    choices.add("time.stop_step", fmt::format("{}", last), "the last base step");
  }
  if (setup.options.end_time == 0.0) {
    choices.add("time.end", fmt::format("{}", simulation.end_time()), "the case's end");
  }
}

void add_refinement(const Setup& setup, const amr::Simulation& simulation, int first_step,
                    Choices& choices) {
  const amr::RefinementOptions& asked = setup.options.refinement;
  const amr::RefinementOptions& used = simulation.options().refinement;
  if (asked.interval == 0) {
    choices.add("amr.interval", fmt::format("{}", simulation.next_regrid() - first_step),
                "up to the first regrid: as long as the flow stays within amr.buffer");
  }
  const bool is_chosen = asked.interval == 0 || setup.options.cfl > 0.0;
  if (is_chosen && setup.source.written("amr.buffer").empty()) {
    choices.add("amr.buffer", fmt::format("{}", asked.buffer),
                setup.options.cfl > 0.0 ? "suits time.cfl" : "suits amr.interval");
  }
  if (asked.threshold_order > 0) {
    choices.add_if_left("amr.threshold_at", "0", fmt::format("{}", asked.threshold_at),
                        "grid.base of the file");
    if (used.threshold != asked.threshold) {
      choices.add("amr.threshold", fmt::format("{}", used.threshold),
                  "on this grid, by amr.threshold_order");
    }
  }
  if (asked.derefine_threshold == 0.0) {
    choices.add("amr.derefine_threshold", fmt::format("{}", amr::keep_threshold(used)),
                "the same as amr.threshold");
  }
}

std::vector<Choice> choices_of(const RunRequest& request, const Setup& setup,
                               const amr::Backend& backend, const amr::Simulation& simulation,
                               const Forecast& forecast) {
  Choices choices(setup);
  if (setup.run.workers != backend.workers()) {
    const bool are_ranks = simulation.workers_by_rank().size() > 1;
    choices.add("runtime.workers", fmt::format("{}", backend.workers()),
                request.workers > 0 ? "--workers"
                                    : fmt::format("backend {} on the cores available{}",
                                                  backend.name(), are_ranks ? ", each rank" : ""));
  }
  choices.add_if_left("step.schedule", "auto", std::string(simulation.schedule()),
                      fmt::format("suits backend {}", backend.name()));
  choices.add_if_left("step.time_interpolation", "auto",
                      amr::to_string(simulation.options().time_interpolation),
                      fmt::format("suits solver {}", setup.solver->traits().name));
  add_steps(setup, simulation, forecast.step + forecast.steps, choices);
  if (setup.run.diagnostics_every == 0) {
    choices.add("diagnostics.every", "0", "by diagnostics.interval alone");
  }
  if (setup.options.levels > 1) add_refinement(setup, simulation, forecast.step, choices);
  return choices.take();
}

/// Base steps that are left if all have the length of the latest.
std::int64_t steps_left(const Setup& setup, const amr::Simulation& simulation) {
  if (setup.is_over(simulation)) return 0;
  const std::int64_t to_stop = setup.stop_step - simulation.step();
  if (setup.options.steps > 0) return to_stop;
  // The last step ends at the end of the run but for round-off.
  constexpr double kRounded = 1e-9;
  const double wanted = (simulation.end_time() - simulation.time()) / simulation.dt();
  return std::min(to_stop, static_cast<std::int64_t>(std::ceil(wanted * (1.0 - kRounded))));
}

/// The time up to which nothing is due any more before the first base step.
double reached_by(const Start& start, const amr::Simulation& simulation) {
  if (!start.from) return simulation.time();
  const std::optional<io::Sidecar>& sidecar = start.from->checkpoint.sidecar;
  if (sidecar && sidecar->reached) return *sidecar->reached;
  return simulation.step() > 0 ? simulation.reach() : simulation.time();
}

/// Takes base steps. \return their seconds
double advance(const Setup& setup, amr::Simulation& simulation, int steps) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  try {
    simulation.advance(steps);
  } catch (...) {
    rethrow_naming_plugins(setup);
  }
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Takes more base steps, regrids among them, unless the first one has taken long.
/// \param first_s  seconds of the first one, in which some memory was used for the first time
/// \return seconds of one
double time_steps(const Setup& setup, amr::Simulation& simulation, double first_s) {
  constexpr double kEnough = 0.05;
  constexpr int kTogether = 4;
  double all_s = 0.0;
  int taken = 0;
  while (first_s + all_s < kEnough && !setup.is_over(simulation)) {
    const int step = simulation.step();
    all_s += advance(setup, simulation, std::min(kTogether, setup.stop_step - step));
    taken += simulation.step() - step;
  }
  return taken > 0 ? all_s / taken : first_s;
}

void count_updates(const Setup& setup, Forecast& forecast) {
  double substeps = 1.0;
  for (const std::size_t patches : forecast.patches) {
    forecast.updates += static_cast<double>(patches * amr::kPatchPoints) * substeps;
    if (setup.options.subcycling) substeps *= 2.0;
  }
  forecast.of_uniform = forecast.updates / setup.uniform_updates(1);
}

}  // namespace

Forecast forecast_of(const RunRequest& request, const Start& start, const amr::Backend& backend,
                     amr::Simulation& simulation) {
  const Setup& setup = start.setup;
  Forecast forecast;
  forecast.step = simulation.step();
  forecast.time = simulation.time();
  forecast.reached = reached_by(start, simulation);
  const bool has_steps = !is_done(start);
  const double first_s = has_steps ? advance(setup, simulation, 1) : 0.0;
  forecast.first_dt = simulation.dt();
  forecast.patches = patches_per_level(simulation);
  forecast.memory = simulation.memory_use();
  const amr::SavedRun saved = simulation.save_share(false).run;
  for (const amr::SavedLevel& level : saved.levels) {
    for (const double cfl : level.cfl) forecast.largest_cfl = std::max(forecast.largest_cfl, cfl);
  }
  const auto components = static_cast<std::size_t>(setup.the_case->components());
  forecast.writing_bytes = forecast.memory.points * components * sizeof(double);
  forecast.is_estimate = setup.options.steps == 0;
  if (has_steps) forecast.steps = 1 + steps_left(setup, simulation);
  count_updates(setup, forecast);
  forecast.checkpoint_bytes = file_bytes(start, simulation, saved, false);
  forecast.state_bytes = setup.run.output_extras ? file_bytes(start, simulation, saved, true)
                                                 : forecast.checkpoint_bytes;
  forecast.choices = choices_of(request, setup, backend, simulation, forecast);
  if (has_steps) forecast.step_s = time_steps(setup, simulation, first_s);
  forecast.files = count_files(start, forecast, !simulation.options().exact_times.empty());
  return forecast;
}

}  // namespace kumiko::app
