#include "execute.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <fmt/core.h>

#include <kumiko/amr/diagnostics.hpp>

#include "origin.hpp"
#include "terminal.hpp"

namespace kumiko::app {

namespace {

volatile std::sig_atomic_t end_signal = 0;
volatile std::sig_atomic_t checkpoint_signal = 0;

/// Base steps after which the loop looks for signals and shows progress, at most.
constexpr int kLongestStretch = 20;

bool due(int step, int every) { return every > 0 && step % every == 0; }

/// Steps from `step` to the next multiple of `every`.
int until(int step, int every) { return every > 0 ? every - step % every : kLongestStretch; }

/// Steps from `step` to `target`, if that lies ahead.
int up_to(int step, int target) { return target > step ? target - step : kLongestStretch; }

/// Records a trace of the base steps of a run that problem.trace_from and problem.trace_until name,
/// as far as there is room.
class TraceTaker {
 public:
  TraceTaker(const Problem& problem, const Hooks& hooks) : problem_(problem), hooks_(hooks) {}

  /// Steps from `step` to where something is to be done.
  int next(int step) const {
    return std::min(up_to(step, problem_.trace_from), up_to(step, problem_.trace_until));
  }

  void before(amr::Simulation& simulation) {
    if (!hooks_.end_trace || simulation.step() != problem_.trace_from) return;
    simulation.start_trace();
    is_open_ = true;
  }

  void after(amr::Simulation& simulation) {
    if (!is_open_) return;
    const bool is_full = simulation.trace_is_full();
    if (!is_full && simulation.step() != problem_.trace_until) return;
    is_open_ = false;
    try {
      amr::Trace trace = simulation.stop_trace();
      if (is_full) {
        warn(fmt::format("more of the trace: it ends after {} base steps", steps(trace)));
      }
      hand_over(std::move(trace));
    } catch (const std::bad_alloc&) {
      warn("the trace, which is lost");
    }
  }

  /// Keeps what there is of a trace when the run fails while it is being recorded.
  void save(amr::Simulation& simulation) noexcept {
    if (!std::exchange(is_open_, false)) return;
    try {
      amr::Trace trace = simulation.stop_trace();
      if (!trace.pieces.empty()) hand_over(std::move(trace));
    } catch (const std::exception&) {
      // What made the run fail is what counts.
    }
  }

 private:
  void hand_over(amr::Trace trace) const {
    trace.case_name = problem_.run.case_name;
    hooks_.end_trace(std::move(trace));
  }

  /// Base steps that it has.
  int steps(const amr::Trace& trace) const {
    if (trace.stretches.empty()) return 0;
    const amr::TraceStretch& last = trace.stretches.back();
    return last.first_step + last.steps - problem_.trace_from;
  }

  /// On a terminal there may be a progress bar, which comes again below.
  static void warn(const std::string& for_what) {
    const Terminal terminal = Terminal::of_stderr();
    print_to_stderr("{}kumiko: warning: there is no room for {}; lower trace.steps\n",
                    terminal.exists ? terminal.erase_line() : std::string(), for_what);
  }

  const Problem& problem_;
  const Hooks& hooks_;
  bool is_open_ = false;
};

/// What a run does between two parts of its loop, by clock and signals.
class Stops {
 public:
  Stops(const Problem& problem, const Hooks& hooks, double wall_s_before)
      : problem_(problem), hooks_(hooks), wall_s_before_(wall_s_before) {}

  double wall_s() const { return wall_s_before_ + since(start_); }

  /// Steps from `step` to where a checkpoint is due.
  int next(int step) const { return until(step, problem_.run.checkpoints.steps); }

  /// Called after a part of the loop. Throws when the run must end here.
  /// \param is_written  whether the state goes into a file of its own anyway
  void after_stretch(const amr::Simulation& simulation, const io::RunHistory& history,
                     bool is_written) {
    longest_stretch_s_ = std::max(longest_stretch_s_, since(stretch_));
    const bool ends = simulation.step() < problem_.stop_step && must_end();
    const bool due = take_request(simulation);
    if (hooks_.checkpoint && (ends || due)) {
      if (ends || !is_written) hooks_.checkpoint(simulation, history);
      latest_ = Clock::now();
      none_yet_ = false;
    }
    if (ends) end(simulation);
    stretch_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double since(Clock::time_point when) {
    return std::chrono::duration<double>(Clock::now() - when).count();
  }

  bool take_request(const amr::Simulation& simulation) const {
    const bool asked = checkpoint_signal != 0;
    if (asked) checkpoint_signal = 0;
    // One to know how long it takes before the limit.
    const bool tried = problem_.run.wall_limit_s == 0.0 || !none_yet_;
    return asked || !tried || due(simulation.step(), problem_.run.checkpoints.steps) ||
           (problem_.run.checkpoints.seconds > 0.0 &&
            since(latest_) >= problem_.run.checkpoints.seconds);
  }

  /// Whether a signal asks for it, or there is hardly time for another part and a checkpoint.
  bool must_end() const {
    if (end_requested()) return true;
    const double reserve = 2.0 * (longest_stretch_s_ + hooks_.checkpoint_s());
    return problem_.run.wall_limit_s > 0.0 && since(start_) + reserve >= problem_.run.wall_limit_s;
  }

  [[noreturn]] void end(const amr::Simulation& simulation) const {
    hooks_.settle();
    const int signal = end_signal;
    const std::string why = signal != 0
                                ? fmt::format("signal {} (SIG{})", signal, sigabbrev_np(signal))
                                : std::string("time.wall_limit");
    throw std::runtime_error(fmt::format("ended by {} after base step {}; the run is not complete",
                                         why, simulation.step()));
  }

  const Problem& problem_;
  const Hooks& hooks_;
  double wall_s_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point latest_ = start_;   ///< checkpoint
  Clock::time_point stretch_ = start_;  ///< began
  double longest_stretch_s_ = 0.0;
  bool none_yet_ = true;  ///< no checkpoint
};

io::RunSummary describe(const Problem& problem, const amr::Backend& backend,
                        const amr::Simulation& simulation) {
  io::RunSummary summary;
  summary.case_name = problem.run.case_name;
  summary.solver = problem.solver->traits().name;
  summary.backend = backend.name();
  summary.workers = backend.workers();
  summary.schedule = simulation.schedule();
  summary.steps = simulation.step();
  for (int level = 0; level < simulation.hierarchy().max_levels(); ++level) {
    summary.patches_per_level.push_back(simulation.hierarchy().level(level).size());
  }
  summary.config = {problem.config.values().values().begin(),
                    problem.config.values().values().end()};
  return summary;
}

std::vector<io::ComponentSummary> components_of(const amr::Case& problem,
                                                const amr::FieldFigures& field,
                                                const std::optional<amr::ErrorNorms>& errors) {
  const std::vector<std::string> names = problem.component_names();
  std::vector<io::ComponentSummary> components;
  for (std::size_t at = 0; at < field.components.size(); ++at) {
    const amr::FieldFigures& figures = field.components[at];
    io::ComponentSummary& component = components.emplace_back();
    component.name = names[at];
    component.minimum = figures.minimum;
    component.maximum = figures.maximum;
    component.mass = figures.mass;
    if (!errors) continue;
    component.rms = errors->components[at].rms;
    component.l1_relative = errors->components[at].l1_relative;
    component.l1 = errors->components[at].l1;
    component.linf = errors->components[at].linf;
  }
  return components;
}

/// Of the finest level's grid, with the finest level's step.
double uniform_updates(const Problem& problem, int steps) {
  const auto& options = problem.options;
  const double per_level = options.subcycling ? 8.0 : 4.0;
  return std::pow(per_level, options.levels - 1) * options.points_x * options.points_y * steps;
}

}  // namespace

bool end_requested() { return end_signal != 0; }

void heed_signals() {
  std::signal(SIGTERM, [](int signal) { end_signal = signal; });
  // Ctrl-C once more does not wait for the run's next stop; batch systems repeat SIGTERM.
  std::signal(SIGINT, [](int signal) {
    if (end_signal == signal) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
    end_signal = signal;
  });
  // Of a terminal that is gone; nohup's runs go on.
  if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) {
    std::signal(SIGHUP, [](int signal) { end_signal = signal; });
  }
  std::signal(SIGUSR1, [](int signal) { checkpoint_signal = signal; });
}

namespace {

/// The history of a run that begins with a field.
io::RunHistory history_of(const amr::FieldFigures& field) {
  return {field.mass, field.absolute_mass, 0.0};
}

io::RunSummary step_to_end(const Problem& problem, amr::Backend& backend,
                           amr::Simulation& simulation, const Hooks& hooks,
                           const std::optional<io::RunHistory>& past, TraceTaker& trace) {
  io::RunHistory history =
      past ? *past : history_of(amr::field_figures(simulation.hierarchy(), backend));
  if (!past) hooks.diagnose(simulation);
  const int past_step = simulation.step();
  const std::uint64_t updates_before = simulation.counters().updates();
  const double wall_s_before = history.wall_s;
  const io::Origin origin = origin_now();
  Stops stops(problem, hooks, history.wall_s);
  while (simulation.step() < problem.stop_step) {
    const int step = simulation.step();
    trace.before(simulation);
    simulation.advance(std::min({problem.stop_step - step, until(step, hooks.every),
                                 until(step, hooks.output_every), stops.next(step),
                                 trace.next(step), kLongestStretch}));
    trace.after(simulation);
    history.wall_s = stops.wall_s();
    if (due(simulation.step(), hooks.every) || simulation.step() == problem.stop_step) {
      hooks.diagnose(simulation);
    }
    const bool is_output =
        due(simulation.step(), hooks.output_every) || simulation.step() == problem.stop_step;
    if (is_output) hooks.output(simulation, history);
    hooks.progress(simulation);
    stops.after_stretch(simulation, history, is_output);
  }
  // The state of a run that has nothing left to do is wanted where it goes now.
  if (past && past_step == problem.stop_step) hooks.output(simulation, history);
  hooks.settle();
  const double wall_s = stops.wall_s();

  io::RunSummary summary = describe(problem, backend, simulation);
  const amr::WorkCounters& work = simulation.counters();
  const amr::FieldFigures field = amr::field_figures(simulation.hierarchy(), backend);
  if (!field.finite) throw std::runtime_error("the final field holds values that are not finite");
  const auto errors =
      amr::error_norms(simulation.hierarchy(), *problem.the_case, simulation.time(), backend);
  summary.wall_s = wall_s;
  summary.origin = origin;
  if (errors) {
    summary.rms = errors->rms;
    summary.l1_relative = errors->l1_relative;
    summary.l1 = errors->l1;
    summary.linf = errors->linf;
  }
  summary.minimum = field.minimum;
  summary.maximum = field.maximum;
  summary.components = components_of(*problem.the_case, field, errors);
  if (history.initial_absolute_mass > 0.0) {
    summary.mass_drift = (field.mass - history.initial_mass) / history.initial_absolute_mass;
  }
  summary.open_domain = problem.the_case->boundaries().is_open();
  summary.updates_total = work.updates();
  summary.updates_per_level = work.updates_per_level;
  summary.fraction_of_uniform =
      static_cast<double>(work.updates()) / uniform_updates(problem, simulation.step());
  // Of this part of the run: others may have had other workers.
  const double core_s = (wall_s - wall_s_before) * backend.workers();
  if (simulation.step() > past_step) {
    summary.updates_per_core_s = static_cast<double>(work.updates() - updates_before) / core_s;
  }
  summary.balance_efficiency = work.balance_efficiency();
  for (const amr::WorkerLoad& load : work.workers) summary.steals += load.steals;
  summary.load = work.workers;
  summary.unnested_patches = simulation.unnested_patches();
  summary.regrids = work.regrids;
  summary.longest_waits = work.longest_waits;
  summary.memory = simulation.memory_use();
  summary.peak_rss_bytes = io::peak_rss_bytes();
  summary.state_hash = amr::state_hash(simulation.hierarchy(), backend);
  return summary;
}

}  // namespace

io::RunSummary execute(const Problem& problem, amr::Backend& backend, amr::Simulation& simulation,
                       const Hooks& hooks, const std::optional<io::RunHistory>& past) {
  TraceTaker trace(problem, hooks);
  try {
    return step_to_end(problem, backend, simulation, hooks, past, trace);
  } catch (const amr::BrokenValueError& error) {
    trace.save(simulation);
    throw std::runtime_error(describe(error, problem));
  } catch (const amr::DeclarationError& error) {
    trace.save(simulation);
    throw std::runtime_error(fmt::format("'{}': {}", problem.solver_file.string(), error.what()));
  } catch (...) {
    trace.save(simulation);
    throw;
  }
}

}  // namespace kumiko::app
