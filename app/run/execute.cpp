#include "run/execute.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <kumiko/cluster/launch.hpp>

#include "run/due.hpp"
#include "run/ranks.hpp"
#include "run/run_files.hpp"
#include "terminal/counted.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

volatile std::sig_atomic_t end_signal = 0;
volatile std::sig_atomic_t checkpoint_signal = 0;
/// Whether base steps are taken: from then on a signal ends the run where nothing is lost.
volatile std::sig_atomic_t stepping = 0;
/// Whether this process answers a signal that ends the run, for all ranks, while steps are taken.
volatile std::sig_atomic_t may_answer = 0;
volatile std::sig_atomic_t answers_signals = 0;
volatile std::sig_atomic_t writes_checkpoints = 0;
/// Whether a progress bar may stand where the answer begins.
volatile std::sig_atomic_t is_on_terminal = 0;
// What other processes have been asked for.
std::atomic<int> others_end_signal = 0;
std::atomic<int> others_checkpoint_signal = 0;

/// The signal that ends the run; 0 = none.
int ending_signal() { return end_signal != 0 ? end_signal : others_end_signal.load(); }

/// Steps from `step` to `target`, if that lies ahead.
int up_to(int step, int target) { return target > step ? target - step : kLongestStretch; }

/// On a terminal there may be a progress bar, which comes again below what is printed.
void erase_progress() {
  const Terminal terminal = Terminal::of_stderr();
  if (terminal.exists) print_to_stderr("{}", terminal.erase_line());
}

/// Records a trace of the base steps of a run that problem.trace_from and problem.trace_until name,
/// as far as there is room.
class TraceTaker {
 public:
  TraceTaker(const Problem& problem, RunFiles* files) : problem_(problem), files_(files) {}

  /// Steps from `step` to where something is to be done.
  int next(int step) const {
    return std::min(up_to(step, problem_.trace_from), up_to(step, problem_.trace_until));
  }

  void before(amr::Simulation& simulation) {
    if (files_ == nullptr || simulation.step() != problem_.trace_from) return;
    simulation.start_trace();
    is_open_ = true;
  }

  void after(amr::Simulation& simulation) {
    if (!is_open_) return;
    const bool is_full = simulation.trace_is_full();
    const bool is_over = simulation.step() == problem_.trace_until || problem_.is_over(simulation);
    if (!is_full && !is_over) return;
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

  /// After the last step: tells of a trace that has not begun.
  void end(const amr::Simulation& simulation) const {
    if (files_ == nullptr || simulation.step() > problem_.trace_from) return;
    print_warning("there is no trace: the run has ended before base step {}; lower trace.from",
                  problem_.trace_from);
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
    files_->end_trace(std::move(trace));
  }

  /// Base steps that it has.
  int steps(const amr::Trace& trace) const {
    if (trace.windows.empty()) return 0;
    const amr::TraceWindow& last = trace.windows.back();
    return last.first_step + last.steps - problem_.trace_from;
  }

  static void warn(const std::string& for_what) {
    erase_progress();
    print_warning("there is not enough memory for {}; lower trace.steps", for_what);
  }

  const Problem& problem_;
  RunFiles* files_;
  bool is_open_ = false;
};

/// What a run does between two parts of its loop, by clock and signals.
class Stops {
 public:
  Stops(const Problem& problem, RunFiles* files, double wall_s_before)
      : problem_(problem), files_(files), wall_s_before_(wall_s_before) {}

  double wall_s() const { return wall_s_before_ + since(start_); }

  const Due& checkpoints() const { return checkpoints_; }

  /// Called after a part of the loop. Throws when the run must end here.
  /// \param before      time up to which the part before has reached; this one's is in the history
  /// \param is_written  whether the state goes into a file of its own anyway
  void after_stretch(const amr::Simulation& simulation, const io::RunHistory& history,
                     double before, bool is_written) {
    longest_stretch_s_ = std::max(longest_stretch_s_, since(stretch_));
    const bool ends = !problem_.is_over(simulation) && must_end();
    const bool is_asked = take_request();
    const bool due =
        is_asked || checkpoints_.is_now(simulation.step(), before, history.reached.value());
    if (files_ != nullptr && (ends || due)) {
      if (ends || !is_written) files_->checkpoint(simulation, history);
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

  /// Whether a checkpoint is due by clock or signal.
  bool take_request() const {
    const bool asked = checkpoint_signal != 0 || others_checkpoint_signal != 0;
    if (asked) checkpoint_signal = others_checkpoint_signal = 0;
    // One to know how long it takes before the limit.
    const bool tried = problem_.run.wall_limit_s == 0.0 || !none_yet_;
    return asked || !tried ||
           (problem_.run.checkpoints.seconds > 0.0 &&
            since(latest_) >= problem_.run.checkpoints.seconds);
  }

  /// Whether a signal asks for it, or there is hardly time for another part and a checkpoint.
  bool must_end() const {
    if (end_requested()) return true;
    const double checkpoint_s = files_ != nullptr ? files_->checkpoint_s() : 0.0;
    const double reserve = 2.0 * (longest_stretch_s_ + checkpoint_s);
    return problem_.run.wall_limit_s > 0.0 && since(start_) + reserve >= problem_.run.wall_limit_s;
  }

  [[noreturn]] void end(const amr::Simulation& simulation) const {
    if (files_ != nullptr) files_->settle();
    const int signal = ending_signal();
    const std::string why = signal != 0
                                ? fmt::format("signal {} (SIG{})", signal, sigabbrev_np(signal))
                                : std::string("time.wall_limit");
    throw std::runtime_error(fmt::format("ended by {} after base step {}; the run is not complete",
                                         why, simulation.step()));
  }

  const Problem& problem_;
  RunFiles* files_;
  Due checkpoints_{problem_.run.checkpoints.steps, amr::Times(problem_.run.checkpoint_interval)};
  double wall_s_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point latest_ = start_;   ///< checkpoint
  Clock::time_point stretch_ = start_;  ///< began
  double longest_stretch_s_ = 0.0;
  bool none_yet_ = true;  ///< no checkpoint
};

/// Says once that a feature may leave the buffer before the mesh can follow it.
class BufferWatch {
 public:
  void look(const amr::Simulation& simulation) {
    if (has_told_ || !simulation.buffer_outrun_at()) return;
    has_told_ = true;
    erase_progress();
    print_warning(
        "in base step {} the flow may carry features further than amr.buffer, {}, before the mesh "
        "can follow; raise amr.buffer, or take shorter steps",
        *simulation.buffer_outrun_at(),
        counted(static_cast<std::size_t>(simulation.options().refinement.buffer), "point"));
  }

 private:
  bool has_told_ = false;
};

/// The figures of each component: of a field with one, those of the field.
std::span<const amr::FieldFigures> components_of(const amr::FieldFigures& field) {
  return field.components.empty() ? std::span(&field, 1) : std::span(field.components);
}

/// The history of a run that begins with a field.
io::RunHistory history_of(const amr::FieldFigures& field) {
  io::RunHistory history;
  for (const amr::FieldFigures& component : components_of(field)) {
    history.initial_masses.push_back({component.mass, component.absolute_mass});
  }
  return history;
}

/// How much the mass of each component has changed, in units of its initial integral of |u|.
std::vector<std::optional<double>> drifts_of(const amr::FieldFigures& field,
                                             const std::vector<io::ComponentMass>& initial) {
  const std::span<const amr::FieldFigures> components = components_of(field);
  std::vector<std::optional<double>> drifts(components.size());
  for (std::size_t at = 0; at < initial.size(); ++at) {
    if (!(initial[at].absolute > 0.0)) continue;
    drifts.at(at) = (components[at].mass - initial[at].mass) / initial[at].absolute;
  }
  return drifts;
}

/// Tells of values that have grown beyond any sense, although they are finite.
void warn_of_growth(const Problem& problem, const amr::FieldFigures& field,
                    const std::vector<io::ComponentMass>& initial, double largest_cfl) {
  constexpr double kBeyondSense = 1e3;
  const std::span<const amr::FieldFigures> components = components_of(field);
  for (std::size_t at = 0; at < initial.size(); ++at) {
    const double growth = components[at].absolute_mass / initial[at].absolute;
    if (!(initial[at].absolute > 0.0) || !(growth > kBeyondSense)) continue;
    erase_progress();
    print_warning(
        "solver '{}', {} points in x: the integral of |{}| is {:.2g} times that of the run's first "
        "state; if the equation does not ask for that, the run is unstable; {}",
        problem.solver->traits().name, problem.options.points_x,
        problem.the_case->component_names()[at], growth,
        largest_cfl > 0.0
            ? fmt::format("take shorter steps, by a lower time.cfl or more time.steps, or another "
                          "solver; if the largest CFL number, {:.3g}, is not the flow's, mend what "
                          "the solver's prepare() returns",
                          largest_cfl)
            : "the solver gives all patches the CFL number 0, as if nothing moved: mend what its "
              "prepare() returns");
  }
}

/// Of a run as it stands, but for what the run's beginning has to do with.
io::RunSummary summary_of(const Problem& problem, amr::Backend& backend,
                          const amr::Simulation& simulation, const io::RunHistory& history) {
  io::RunSummary summary;
  summary.field = simulation.field_figures();
  if (!summary.field.finite) {
    throw std::runtime_error(
        "the final field has values that are not finite; the case or the solver is not stable as "
        "configured");
  }
  summary.case_name = problem.run.case_name;
  summary.solver = problem.solver->traits().name;
  summary.backend = backend.name();
  summary.workers = simulation.workers();
  summary.schedule = simulation.schedule();
  summary.steps = simulation.step();
  summary.time = simulation.time();
  summary.end_time = simulation.end_time();
  summary.wall_s = history.wall_s;
  summary.errors = simulation.error_norms();
  if (summary.errors && !std::isfinite(summary.errors->rms)) {
    print_warning(
        "case '{}': its exact() gives values that are not finite at t = {:g}, so that the "
        "errors say nothing",
        problem.run.case_name, simulation.time());
  }
  summary.component_names = problem.the_case->component_names();
  summary.mass_drifts = drifts_of(summary.field, history.initial_masses);
  warn_of_growth(problem, summary.field, history.initial_masses, simulation.counters().largest_cfl);
  summary.open_domain = problem.the_case->boundaries().is_open();
  summary.work = simulation.counters();
  summary.fraction_of_uniform =
      static_cast<double>(summary.work.updates()) / problem.uniform_updates(simulation.step());
  summary.patches_per_level = patches_per_level(simulation);
  summary.unnested_patches = simulation.unnested_patches();
  summary.memory = simulation.memory_use();
  summary.peak_rss_bytes = io::peak_rss_bytes();
  summary.state_hash = simulation.state_hash();
  summary.config = problem.config.values();
  return summary;
}

io::RunSummary step_to_end(const Problem& problem, amr::Backend& backend,
                           amr::Simulation& simulation, Progress& progress, RunFiles* files,
                           const std::optional<io::RunHistory>& past, TraceTaker& trace) {
  io::RunHistory history = past ? *past : history_of(simulation.field_figures());
  if (files != nullptr && !past) files->diagnose(simulation);
  const Due rows = files != nullptr ? Due(problem.run.diagnostics_every,
                                          amr::Times(problem.run.diagnostics_interval))
                                    : Due(0, {});
  const Due states =
      files != nullptr ? Due(problem.run.output_every, problem.run.times_of_output()) : Due(0, {});
  const int past_step = simulation.step();
  const bool was_over = problem.is_over(simulation);
  if (!history.reached) history.reached = past_step > 0 ? simulation.reach() : 0.0;
  if (!past && problem.run.writes_initial_state() && files != nullptr)
    files->output(simulation, history);
  const std::uint64_t updates_before = simulation.counters().updates();
  const double wall_s_before = history.wall_s;
  const io::Origin origin = origin_now();
  Stops stops(problem, files, history.wall_s);
  BufferWatch buffer;
  while (!problem.is_over(simulation)) {
    const int step = simulation.step();
    trace.before(simulation);
    const double before = history.reached.value();
    try {
      simulation.advance(
          std::min({problem.stop_step - step, rows.steps_left(step), states.steps_left(step),
                    stops.checkpoints().steps_left(step), trace.next(step), kLongestStretch}),
          std::min({rows.next(before), states.next(before), stops.checkpoints().next(before)}));
    } catch (const std::exception&) {
      history.wall_s = stops.wall_s();
      // Where no step was taken, the state is that of the file from which the run goes on.
      const bool saves =
          files != nullptr && problem.options.keep_state && simulation.step() > past_step;
      if (saves && simulation.is_whole()) {
        try {
          files->go_on(simulation);
        } catch (const std::exception&) {
          // The failure that ends the run is the one to tell of.
        }
        files->checkpoint_of_failure(simulation, history);
      }
      throw;
    }
    trace.after(simulation);
    buffer.look(simulation);
    history.wall_s = stops.wall_s();
    const double reached = std::max(before, simulation.reach());
    history.reached = reached;
    const bool is_last = problem.is_over(simulation);
    const bool is_output = is_last || states.is_now(simulation.step(), before, reached);
    if (files != nullptr) {
      if (is_last || rows.is_now(simulation.step(), before, reached)) files->diagnose(simulation);
      // Before the files of a state: whoever goes on from them finds its rows.
      files->go_on(simulation);
      if (is_output) files->output(simulation, history);
    }
    progress.show();
    stops.after_stretch(simulation, history, before, is_output);
  }
  answers_signals = 0;
  trace.end(simulation);
  if (files != nullptr) {
    // The state of a run that has nothing left to do is wanted where it goes now.
    if (past && was_over) files->output(simulation, history);
    files->settle();
  }
  history.wall_s = stops.wall_s();

  io::RunSummary summary = summary_of(problem, backend, simulation, history);
  summary.origin = origin;
  // Of this part of the run: others may have had other workers.
  const double core_s = (history.wall_s - wall_s_before) * simulation.workers();
  if (simulation.step() > past_step) {
    summary.updates_per_core_s =
        static_cast<double>(summary.work.updates() - updates_before) / core_s;
  }
  return summary;
}

/// What each of several ranks has done.
/// \param before  what workers with their numbers had done when the run went on
void add_ranks(const amr::Simulation& simulation, const Ranks& ranks,
               const std::vector<amr::WorkerLoad>& before, io::RunSummary& summary) {
  const std::vector<amr::WorkerLoad> loads = loads_by_rank(simulation);
  for (const Ranks::Process& process : ranks.processes()) {
    const std::size_t at = summary.ranks.size();
    io::RankSummary rank;
    rank.host = process.host;
    rank.workers = simulation.workers_by_owner()[at];
    rank.load = loads[at];
    rank.load.updates -= before[at].updates;
    rank.load.busy_s -= before[at].busy_s;
    rank.load.wait_s -= before[at].wait_s;
    const auto number = static_cast<std::int32_t>(summary.ranks.size());
    const amr::Mesh<2>& mesh = simulation.hierarchy().mesh();
    for (int level = 0; level < mesh.levels(); ++level) {
      rank.patches += static_cast<std::size_t>(std::ranges::count(mesh.owners(level), number));
    }
    rank.messages = process.statistics.messages_sent;
    rank.bundles = process.statistics.frames_sent;
    rank.bytes = process.statistics.bytes_sent;
    rank.peak_rss_bytes = process.peak_rss_bytes;
    summary.ranks.push_back(rank);
  }
  if (summary.ranks.empty()) return;
  summary.peak_rss_bytes = 0;
  for (const io::RankSummary& rank : summary.ranks) summary.peak_rss_bytes += rank.peak_rss_bytes;
  summary.moved_patches = simulation.moved_patches();
}

/// The first processor's model as Linux names it on x86; elsewhere the kind of machine.
std::string processor(const utsname& machine) {
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (line.starts_with("model name") && value != line.npos) return line.substr(value);
  }
  return machine.machine;
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

io::Origin origin_now() {
  utsname machine{};
  ::uname(&machine);
  // ISO 8601 in UTC, to the second.
  return {machine.nodename, processor(machine),
          fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))), KUMIKO_VERSION,
          compiler()};
}

std::vector<std::size_t> patches_per_level(const amr::Simulation& simulation) {
  std::vector<std::size_t> patches;
  for (int level = 0; level < simulation.hierarchy().max_levels(); ++level) {
    patches.push_back(simulation.hierarchy().level(level).size());
  }
  return patches;
}

std::vector<amr::WorkerLoad> loads_by_rank(const amr::Simulation& simulation) {
  std::vector<amr::WorkerLoad> loads;
  auto worker = simulation.counters().workers.begin();
  for (const int workers : simulation.workers_by_owner()) {
    amr::WorkerLoad& load = loads.emplace_back();
    for (int own = 0; own < workers; ++own) load += *worker++;
  }
  return loads;
}

bool end_requested() { return ending_signal() != 0; }

AskedBySignals take_signals() {
  const AskedBySignals asked{end_signal, checkpoint_signal};
  if (asked.end != 0) end_signal = 0;
  if (asked.checkpoint != 0) checkpoint_signal = 0;
  return asked;
}

void hand_on_signals(AskedBySignals asked) {
  if (asked.end != 0) others_end_signal = asked.end;
  if (asked.checkpoint != 0) others_checkpoint_signal = asked.checkpoint;
}

namespace {

/// Ends the program as the signal does by itself.
void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// By functions that a handler may call.
void tell_in_handler(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void note_end(int signal) {
  if (stepping == 0) {
    // There is nothing to keep, and what the program waits for may never come.
    tell_in_handler("kumiko: ended by a signal before the first base step\n");
    return end_by(signal);
  }
  const bool is_first = end_signal == 0;
  end_signal = signal;
  if (!is_first || answers_signals == 0) return;
  if (is_on_terminal != 0) tell_in_handler("\n");
  tell_in_handler("kumiko: ending after the base steps under way");
  if (writes_checkpoints != 0) tell_in_handler(", with a checkpoint");
  tell_in_handler(signal == SIGINT ? "; Ctrl-C once more ends at once\n"
                                   : "; Ctrl-C twice ends at once\n");
}

}  // namespace

void heed_signals(bool with_checkpoints) {
  is_on_terminal = Terminal::of_stderr().exists ? 1 : 0;
  may_answer = cluster::leads_by_environment() ? 1 : 0;
  writes_checkpoints = with_checkpoints ? 1 : 0;
  std::signal(SIGTERM, note_end);
  // Sent where a soft limit on CPU time is reached (ulimit -S -t), before the hard one's SIGKILL.
  std::signal(SIGXCPU, note_end);
  // Ctrl-C once more does not wait for the run's next stop; batch systems repeat SIGTERM.
  std::signal(SIGINT, [](int signal) {
    if (end_signal == signal) {
      tell_in_handler(
          writes_checkpoints != 0
              ? "kumiko: ended at once by the second Ctrl-C, without a last checkpoint\n"
              : "kumiko: ended at once by the second Ctrl-C\n");
      return end_by(signal);
    }
    note_end(signal);
  });
  // Of a terminal that is gone; nohup's runs go on.
  if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) std::signal(SIGHUP, note_end);
  std::signal(SIGUSR1, [](int signal) { checkpoint_signal = signal; });
}

void begin_stepping() {
  stepping = 1;
  answers_signals = may_answer;
}

io::RunSummary execute(const Problem& problem, amr::Backend& backend, amr::Simulation& simulation,
                       Progress& progress, RunFiles* files,
                       const std::optional<io::RunHistory>& past, const Ranks* ranks) {
  begin_stepping();
  TraceTaker trace(problem, files);
  const std::vector<amr::WorkerLoad> before = loads_by_rank(simulation);
  try {
    io::RunSummary summary =
        step_to_end(problem, backend, simulation, progress, files, past, trace);
    if (ranks != nullptr) add_ranks(simulation, *ranks, before, summary);
    return summary;
  } catch (...) {
    trace.save(simulation);
    rethrow_naming_plugins(problem);
  }
}

}  // namespace kumiko::app
