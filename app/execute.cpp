#include "execute.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>

#include <fmt/core.h>

#include <kumiko/amr/diagnostics.hpp>

namespace kumiko::app {

namespace {

volatile std::sig_atomic_t signal_received = 0;

/// Base steps after which the loop looks for signals and shows progress, at most.
constexpr int kLongestStretch = 20;

bool due(int step, int every) { return every > 0 && step % every == 0; }

/// Steps from `step` to the next multiple of `every`.
int until(int step, int every) { return every > 0 ? every - step % every : kLongestStretch; }

/// Steps from `step` to `target`, if that lies ahead.
int up_to(int step, int target) { return target > step ? target - step : kLongestStretch; }

/// Records that the trace of a base step may take on one worker, with room to spare: three a patch
/// and phase, four phases, twice the fair share, and some for steals and sleep.
std::size_t records_per_step(const amr::Hierarchy& hierarchy, int workers) {
  std::size_t visits = 0;
  for (int level = 0; level < hierarchy.max_levels(); ++level) {
    visits += hierarchy.level(level).size() << level;
  }
  return 3 * 4 * 2 * visits / static_cast<std::size_t>(workers) + 64;
}

/// Traces the window of a run that problem.trace_from and problem.trace_until name.
class TraceWindow {
 public:
  TraceWindow(const Problem& problem, amr::Backend& backend, const Hooks& hooks)
      : from_(problem.trace_from),
        until_(problem.trace_until),
        backend_(backend),
        end_(hooks.end_trace) {}

  /// Steps from `step` to where something is to be done.
  int next(int step) const { return std::min(up_to(step, from_), up_to(step, until_)); }

  void before(const amr::Simulation& simulation) {
    if (!end_ || simulation.step() != from_) return;
    // Of all workers: 60 MB, and a file of twice that. Beyond it the latest records are kept.
    constexpr std::size_t kMostRecords = std::size_t{1} << 20U;
    const auto steps = static_cast<std::size_t>(until_ - from_);
    const int workers = backend_.workers();
    backend_.start_trace(std::min(kMostRecords / static_cast<std::size_t>(workers),
                                  steps * records_per_step(simulation.hierarchy(), workers)));
  }

  void after(const amr::Simulation& simulation) {
    if (end_ && simulation.step() == until_) end_();
  }

 private:
  int from_;
  int until_;
  amr::Backend& backend_;
  const std::function<void()>& end_;
};

void check_signals(const amr::Simulation& simulation) {
  if (signal_received == 0) return;
  throw std::runtime_error(
      fmt::format("ended by signal {} after base step {}; the run is not complete",
                  static_cast<int>(signal_received), simulation.step()));
}

io::RunSummary describe(const Problem& problem, const amr::Backend& backend,
                        const amr::Simulation& simulation) {
  io::RunSummary summary;
  summary.case_name = problem.config.values().text("case.name");
  summary.solver = problem.solver->traits().name;
  summary.backend = backend.name();
  summary.workers = backend.workers();
  summary.steps = simulation.step();
  for (int level = 0; level < simulation.hierarchy().max_levels(); ++level) {
    summary.patches_per_level.push_back(simulation.hierarchy().level(level).size());
  }
  summary.config = {problem.config.values().values().begin(),
                    problem.config.values().values().end()};
  return summary;
}

double uniform_updates(const Problem& problem, int steps) {
  const auto& options = problem.options;
  return std::pow(8.0, options.levels - 1) * options.points_x * options.points_y * steps;
}

}  // namespace

void end_on_signals() {
  const auto note = [](int signal) { signal_received = signal; };
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

io::RunSummary execute(const Problem& problem, amr::Backend& backend, amr::Simulation& simulation,
                       const Hooks& hooks) {
  const double initial_mass = amr::field_figures(simulation.hierarchy(), backend).mass;
  hooks.diagnose(simulation);
  const std::uint64_t steals_before = backend.steals();
  const auto start = std::chrono::steady_clock::now();
  TraceWindow trace(problem, backend, hooks);
  while (simulation.step() < problem.stop_step) {
    const int step = simulation.step();
    trace.before(simulation);
    simulation.advance(
        std::min({problem.stop_step - step, until(step, hooks.every),
                  until(step, hooks.output_every), trace.next(step), kLongestStretch}));
    trace.after(simulation);
    check_signals(simulation);
    if (due(simulation.step(), hooks.every) || simulation.step() == problem.stop_step) {
      hooks.diagnose(simulation);
    }
    if (due(simulation.step(), hooks.output_every) || simulation.step() == problem.stop_step) {
      hooks.output(simulation);
    }
    hooks.progress(simulation);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  io::RunSummary summary = describe(problem, backend, simulation);
  const amr::WorkCounters& work = simulation.counters();
  const amr::FieldFigures field = amr::field_figures(simulation.hierarchy(), backend);
  if (!field.finite) throw std::runtime_error("the final field holds values that are not finite");
  const auto errors =
      amr::error_norms(simulation.hierarchy(), *problem.the_case, simulation.time(), backend);
  summary.wall_s = wall.count();
  if (errors) {
    summary.rms = errors->rms;
    summary.l1_relative = errors->l1_relative;
    summary.linf = errors->linf;
  }
  summary.minimum = field.minimum;
  summary.maximum = field.maximum;
  summary.mass_drift = initial_mass != 0.0 ? field.mass / initial_mass - 1.0 : 0.0;
  summary.updates_total = work.updates();
  summary.updates_per_level = work.updates_per_level;
  summary.fraction_of_uniform =
      static_cast<double>(work.updates()) / uniform_updates(problem, simulation.step());
  summary.updates_per_core_s =
      static_cast<double>(work.updates()) / (wall.count() * backend.workers());
  summary.balance_efficiency = work.balance_efficiency();
  summary.steals = backend.steals() - steals_before;
  summary.peak_rss_bytes = io::peak_rss_bytes();
  summary.state_hash = amr::state_hash(simulation.hierarchy());
  return summary;
}

}  // namespace kumiko::app
