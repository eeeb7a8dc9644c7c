#include "run/execute.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "run/due.hpp"
#include "run/origin.hpp"
#include "run/ranks.hpp"
#include "run/run_files.hpp"
#include "run/run_parts.hpp"
#include "run/run_summary.hpp"
#include "run/signals.hpp"
#include "run/stops.hpp"
#include "run/trace_taker.hpp"
#include "terminal/counted.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// Warns once that a feature may leave the buffer before the mesh can follow it.
class BufferWatch {
 public:
  void check(const amr::Simulation& simulation) {
    if (has_warned_ || !simulation.buffer_outrun_at()) return;
    has_warned_ = true;
    erase_progress();
    print_warning(
        "in base step {} the flow may carry features further than amr.buffer, {}, before the mesh "
        "can follow; raise amr.buffer, or take shorter steps",
        *simulation.buffer_outrun_at(),
        counted(static_cast<std::size_t>(simulation.options().refinement.buffer), "point"));
  }

 private:
  bool has_warned_ = false;
};

/// The loop over a run's base steps, which writes files as they become due.
class RunLoop {
 public:
  RunLoop(const Setup& setup, amr::Simulation& simulation, RunFiles* files, io::RunHistory history,
          TraceTaker& trace)
      : setup_(setup),
        simulation_(simulation),
        files_(files),
        trace_(trace),
        rows_(files != nullptr
                  ? Due(setup.run.diagnostics_every, amr::Times(setup.run.diagnostics_interval))
                  : Due(0, {})),
        states_(files != nullptr ? Due(setup.run.output_every, setup.run.times_of_output())
                                 : Due(0, {})),
        past_step_(simulation.step()),
        history_(std::move(history)),
        stops_(setup, files, history_.wall_s) {
    if (files_ != nullptr) files_->records().watch(simulation_);
  }

  /// Takes all steps, and waits for the files. Throws if steps fail, or if the run must end before.
  /// \param writes_state  whether to write the state if there are no steps left
  void run(Progress& progress, bool writes_state) {
    const bool was_over = setup_.is_over(simulation_);
    while (!setup_.is_over(simulation_)) take_round(progress);
    end_stepping();
    trace_.end(simulation_);
    if (files_ != nullptr) {
      if (writes_state && was_over) files_->output(simulation_, history_);
      files_->settle();
    }
    history_.wall_s = stops_.wall_s();
  }

  /// True if steps were taken.
  bool has_advanced() const { return simulation_.step() > past_step_; }
  const io::RunHistory& history() const { return history_; }

 private:
  /// Takes the steps until something is due, and writes it.
  void take_round(Progress& progress) {
    trace_.before(simulation_);
    const double before = history_.reached.value();
    advance(before);
    trace_.after(simulation_);
    buffer_.check(simulation_);
    history_.wall_s = stops_.wall_s();
    const double reached = std::max(before, simulation_.reach());
    history_.reached = reached;
    const bool is_last = setup_.is_over(simulation_);
    const bool is_output = is_last || states_.is_now(simulation_.step(), before, reached);
    if (files_ != nullptr) {
      if (is_last || rows_.is_now(simulation_.step(), before, reached)) {
        files_->diagnose(simulation_);
      }
      // Before the files of a state, so that a run which continues from them finds its rows.
      files_->records().write(simulation_, before, reached);
      files_->write_load(simulation_);
      if (is_output) files_->output(simulation_, history_);
    }
    progress.show();
    stops_.after_round(simulation_, history_, before, is_output);
  }

  void advance(double before) {
    const int step = simulation_.step();
    const Due& checkpoints = stops_.checkpoints();
    int most = kLongestRound;
    double until = std::numeric_limits<double>::infinity();
    if (files_ != nullptr) {
      most = files_->records().steps_left(step);
      until = files_->records().next(before);
    }
    try {
      simulation_.advance(
          std::min({setup_.stop_step - step, rows_.steps_left(step), states_.steps_left(step),
                    checkpoints.steps_left(step), trace_.next(step), most}),
          std::min({rows_.next(before), states_.next(before), checkpoints.next(before), until}));
    } catch (const std::exception&) {
      history_.wall_s = stops_.wall_s();
      save_whole_state();
      throw;
    }
  }

  /// Writes a checkpoint of the state that failed steps have gone back to, unless no step was
  /// taken: then the state is that of the file from which the run continues.
  void save_whole_state() {
    const bool saves = files_ != nullptr && setup_.options.keep_state && has_advanced();
    if (!saves || !simulation_.is_whole()) return;
    try {
      files_->write_load(simulation_);
      files_->records().write_watched(simulation_);
    } catch (const std::exception&) {
      // The failure that ends the run is the one to report.
    }
    files_->checkpoint_of_failure(simulation_, history_);
  }

  const Setup& setup_;
  amr::Simulation& simulation_;
  RunFiles* files_;
  TraceTaker& trace_;
  Due rows_;
  Due states_;
  int past_step_;  ///< at which this part of the run begins
  io::RunHistory history_;
  Stops stops_;
  BufferWatch buffer_;
};

/// The history before the first step. A new run writes its first row and state, which do not count
/// in its time.
io::RunHistory begun(const Setup& setup, const amr::Simulation& simulation, RunFiles* files,
                     const std::optional<io::RunHistory>& past) {
  io::RunHistory history = past ? *past : history_of(simulation.field_figures());
  const bool writes = files != nullptr && !past;
  if (writes) {
    files->diagnose(simulation);
    files->records().write_first(simulation);
  }
  if (!history.reached) {
    history.reached = simulation.step() > 0 ? simulation.reach() : simulation.time();
  }
  if (writes && setup.run.writes_initial_state()) files->output(simulation, history);
  return history;
}

io::RunSummary step_to_end(const Setup& setup, amr::Backend& backend, amr::Simulation& simulation,
                           Progress& progress, RunFiles* files,
                           const std::optional<io::RunHistory>& past, TraceTaker& trace) {
  io::RunHistory history = begun(setup, simulation, files, past);
  const double wall_s_before = history.wall_s;
  const std::uint64_t updates_before = simulation.counters().updates();
  const io::Origin origin = origin_now();
  RunLoop loop(setup, simulation, files, std::move(history), trace);
  // A complete run that is restarted leaves its state in the new folder, too.
  loop.run(progress, past.has_value() && (files == nullptr || !files->has_last_state()));
  io::RunSummary summary = summary_of(setup, backend, simulation, loop.history());
  summary.origin = origin;
  if (!loop.has_advanced()) return summary;
  // Of this part of the run: others may have had other workers.
  const double core_s = (loop.history().wall_s - wall_s_before) * simulation.workers();
  summary.updates_per_core_s =
      static_cast<double>(summary.work.updates() - updates_before) / core_s;
  return summary;
}

}  // namespace

io::RunSummary execute(const Setup& setup, amr::Backend& backend, amr::Simulation& simulation,
                       Progress& progress, RunFiles* files,
                       const std::optional<io::RunHistory>& past, Ranks* ranks) {
  begin_stepping();
  TraceTaker trace(setup, files);
  const std::vector<amr::WorkerLoad> before = loads_by_rank(simulation);
  try {
    io::RunSummary summary = step_to_end(setup, backend, simulation, progress, files, past, trace);
    if (ranks != nullptr) add_ranks(simulation, *ranks, before, summary);
    return summary;
  } catch (...) {
    trace.save(simulation);
    rethrow_naming_plugins(setup);
  }
}

}  // namespace kumiko::app
