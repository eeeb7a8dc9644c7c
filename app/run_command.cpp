#include <algorithm>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/io/csv_rows.hpp>
#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/load_csv.hpp>
#include <kumiko/io/manifest.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/summary.hpp>
#include <kumiko/io/trace_file.hpp>
#include <kumiko/viz/state_image.hpp>

#include "execute.hpp"
#include "progress.hpp"
#include "request.hpp"
#include "restart.hpp"
#include "state_writer.hpp"

namespace kumiko::app {

namespace {

/// Pixels; 1024 of them are the domain's, so that grids of the shipped cases fall on whole pixels.
constexpr int kPictureWidth = 1314;

/// What a run begins with.
struct Start {
  Problem problem;
  std::filesystem::path path;  ///< of the folder
  io::Earlier earlier;         ///< what becomes of the folder's files
  /// Of a run that goes on there: nobody else writes to it from before its checkpoint is chosen.
  std::optional<io::OutputFolder> folder = std::nullopt;
  std::optional<Restart> from = std::nullopt;
  /// Files of later steps in that folder, which belong to a part of the run that is given up.
  std::vector<std::filesystem::path> later = {};
};

std::filesystem::path output_path(const Request& request, const Problem& problem) {
  if (!request.output.empty()) return request.output;
  return std::filesystem::path("out") / problem.config.values().text("case.name");
}

/// Where a checkpoint is, whatever links lead to it.
std::filesystem::path folder_of(const std::filesystem::path& file) {
  std::error_code missing;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file), missing).parent_path();
}

bool are_same(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code missing;
  return std::filesystem::equivalent(one, other, missing);
}

/// The folder that a restart continues, or the one that is asked for.
std::filesystem::path restart_path(const Request& request, const std::optional<Problem>& problem) {
  const bool latest = request.restart == kLatest;
  if (!request.output.empty()) return request.output;
  if (latest && !problem) {
    throw RequestError("--restart latest: name CASE.toml, or the run's folder with --output");
  }
  if (latest) return output_path(request, *problem);
  const std::filesystem::path file = request.restart;
  std::filesystem::path beside = file.has_parent_path() ? file.parent_path() : ".";
  if (io::OutputFolder::holds_run(beside) || !std::filesystem::exists(file)) return beside;
  throw RequestError(fmt::format(
      "--restart: '{}' is not in the folder of a run; name one with --output", file.string()));
}

void check_steps(Problem& problem, const Restart& from) {
  const int step = from.checkpoint.run.step;
  if (step > problem.stop_step) {
    throw RequestError(fmt::format(
        "'{}' stands at base step {}, and the run is to end at {}; raise time.stop_step",
        from.file.string(), step, problem.stop_step));
  }
  if (problem.trace_from >= 0 && problem.trace_until <= step) problem.trace_from = -1;  // is done
}

/// What is in the way of a run that goes on in its folder. Throws RequestError for whole files,
/// unless they are given up.
std::vector<std::filesystem::path> later_files_of(const Request& request,
                                                  const std::filesystem::path& folder,
                                                  const Restart& from) {
  if (request.restart == kLatest) return from.damaged;
  std::vector<std::filesystem::path> later = later_files(folder, from.checkpoint.run.step);
  if (later.empty() || request.overwrite) return later;
  throw RequestError(
      fmt::format("the run in '{}' has got further, to '{}'; name another folder with --output, or "
                  "give up what is later with --overwrite",
                  folder.string(), later.front().filename().string()));
}

/// A folder stands for the newest checkpoint in it.
Request without_folder(Request request) {
  if (request.restart == kLatest || !std::filesystem::is_directory(request.restart)) return request;
  if (!request.output.empty() && !are_same(request.output, request.restart)) {
    throw RequestError(fmt::format(
        "--restart: '{}' is a folder; name one of its files to go on elsewhere", request.restart));
  }
  request.output = request.restart;
  request.restart = kLatest;
  return request;
}

/// A run that goes on from a checkpoint, with the configuration given or the checkpoint's own.
Start restarted(const Request& as_asked) {
  const Request request = without_folder(as_asked);
  const bool latest = request.restart == kLatest;
  std::optional<Problem> problem;
  if (!request.config.empty()) problem.emplace(load_problem(request));
  std::filesystem::path path = restart_path(request, problem);
  const bool goes_on = latest || are_same(path, folder_of(request.restart));
  std::optional<io::OutputFolder> folder;
  if (goes_on && std::filesystem::is_directory(path)) {
    folder.emplace(open_output(path, io::Earlier::kContinue));
  }
  Restart from = latest ? latest_restart(path) : read_restart(request.restart);
  if (!problem) problem.emplace(load_problem(request, from.file, from.checkpoint));
  check_same_run(*problem, from.file, from.checkpoint);
  if (goes_on && io::OutputFolder::holds_run(path)) check_same_run(*problem, path);
  check_steps(*problem, from);
  std::vector<std::filesystem::path> later;
  if (goes_on) later = later_files_of(request, path, from);
  io::Earlier earlier = request.overwrite ? io::Earlier::kReplace : io::Earlier::kRefuse;
  if (goes_on) earlier = io::Earlier::kContinue;
  return {std::move(*problem), std::move(path), earlier,
          std::move(folder),   std::move(from), std::move(later)};
}

Start start_of(const Request& request) {
  if (!request.restart.empty()) return restarted(request);
  Problem problem = load_problem(request);
  std::filesystem::path path = output_path(request, problem);
  return {std::move(problem), std::move(path),
          request.overwrite ? io::Earlier::kReplace : io::Earlier::kRefuse};
}

/// Rows that the run has left in a table of the folder that it goes on in.
io::CsvRows earlier_rows(const Start& start, const char* name, int last) {
  if (start.earlier != io::Earlier::kContinue) return {};
  return io::read_csv_rows(start.path / name, last);
}

/// Writes the files of one run.
class RunFiles {
 public:
  RunFiles(Start& start, amr::Backend& backend, const amr::Simulation& simulation)
      : problem_(start.problem),
        folder_(start.folder ? std::move(*start.folder) : open_output(start.path, start.earlier)),
        from_(start.from ? std::optional(start.from->file) : std::nullopt),
        csv_(folder_.file("diagnostics.csv"), problem_.options.levels,
             static_cast<int>(simulation.counters().workers.size()),
             earlier_rows(start, "diagnostics.csv", simulation.step()),
             problem_.the_case->component_names()),
        load_csv_(folder_.file("load.csv"), earlier_rows(start, "load.csv", simulation.step() - 1)),
        next_load_(simulation.step()),
        reported_(csv_.earlier_updates()),
        has_rows_(start.earlier == io::Earlier::kContinue && !csv_.is_new()),
        states_(problem_, backend) {
    if (!has_rows_) {
      for (std::size_t worker = 0; worker < reported_.size(); ++worker) {
        reported_[worker] = simulation.counters().workers[worker].updates;
      }
    }
    // Nothing refuses the run any more.
    if (start.earlier == io::Earlier::kContinue) give_up(start);
    folder_.write_text(io::kConfigurationFile, problem_.config.to_toml());
  }

  /// Whether an earlier part of the run has left rows, which go on.
  bool has_rows() const { return has_rows_; }

  /// The base steps that have been taken since the last call.
  void write_load(const amr::Simulation& simulation) {
    for (const amr::BaseStepLoad& load : simulation.recent_steps()) {
      if (load.step < next_load_) continue;
      load_csv_.add(load);
      next_load_ = load.step + 1;
    }
  }

  void write_row(const amr::Simulation& simulation, amr::Backend& backend) {
    amr::FieldFigures field = amr::field_figures(simulation.hierarchy(), backend);
    if (!field.finite) check_finite(simulation, backend);
    io::DiagnosticsRow row;
    row.step = simulation.step();
    row.time = simulation.time();
    row.field = std::move(field);
    for (int level = 0; level < simulation.hierarchy().max_levels(); ++level) {
      row.patches.push_back(simulation.hierarchy().level(level).size());
    }
    const std::vector<amr::WorkerLoad>& loads = simulation.counters().workers;
    for (std::size_t worker = 0; worker < loads.size(); ++worker) {
      row.updates.push_back(loads[worker].updates -
                            std::min(reported_[worker], loads[worker].updates));
      reported_[worker] = loads[worker].updates;
    }
    csv_.row(row);
  }

  void write_state(const amr::Simulation& simulation, const RunFigures& figures) {
    states_.write_state(folder_.file(fmt::format("state_{:06}.hdf", simulation.step())), simulation,
                        figures);
  }

  /// Throws amr::NonFiniteError rather than write what no run can go on from, and remove an older
  /// one for it.
  void write_checkpoint(const amr::Simulation& simulation, amr::Backend& backend,
                        const RunFigures& figures) {
    check_finite(simulation, backend);
    states_.write_checkpoint(folder_.file(fmt::format("checkpoint_{:06}.hdf", simulation.step())),
                             simulation, figures);
  }

  void settle() { states_.settle(); }
  /// The same for a run that has failed already.
  void settle_quietly() noexcept {
    try {
      settle();
    } catch (const std::exception&) {
      // The newest checkpoint is then the one before.
    }
  }

  /// The latest checkpoint, or the one that the run came from.
  const std::optional<std::filesystem::path>& latest() const {
    return states_.latest() ? states_.latest() : from_;
  }

  double longest_checkpoint_s() const { return states_.longest_s(); }

  /// All of a run's pictures have the first one's colours.
  void write_picture(const amr::Simulation& simulation, const std::string& name) {
    if (!viz::pictures_available()) return;
    const amr::SavedRun state = simulation.save();
    if (!colours_) colours_ = viz::value_range(state, viz::Quantity::kField);
    viz::StateImageOptions options;
    options.title =
        fmt::format("{}   step {}   t = {:.4f}", problem_.config.values().text("case.name"),
                    simulation.step(), simulation.time());
    options.name = problem_.the_case->component_names().front();
    options.range = colours_;
    options.width = kPictureWidth;
    folder_.write_text(name, viz::draw_state(state, simulation.hierarchy().geometry(), options));
  }

  /// Its other form, which others read, waits for the end of the run.
  void write_trace(amr::Trace trace) {
    trace_ = std::move(trace);
    io::write_trace(folder_.file(io::kTraceFile), *trace_);
  }

  /// Last of all: its presence says that the run is complete.
  void finish(const io::RunSummary& summary, double dt, const std::filesystem::path& copy) {
    if (trace_) {
      folder_.write("trace.json", [&](std::ostream& out) { io::write_chrome_trace(out, *trace_); });
    }
    csv_.finish();
    load_csv_.finish();
    folder_.write_text("states.hdf.series", io::make_series(folder_, dt));
    folder_.write_text(io::kManifestFile, io::make_manifest(folder_));
    const std::string text = io::to_json(summary).dump(2) + "\n";
    folder_.write_text(io::kSummaryFile, text);
    if (!copy.empty()) io::write_text_file(copy, text);
  }

 private:
  static void check_finite(const amr::Simulation& simulation, amr::Backend& backend) {
    backend.run([&] { amr::check_finite(simulation.hierarchy(), backend, simulation.step()); });
  }

  /// A name for a damaged file, which is nobody's to remove.
  static std::filesystem::path free_name(const std::filesystem::path& file) {
    std::filesystem::path name = file.string() + ".damaged";
    for (int number = 2; std::filesystem::exists(name); ++number) {
      name = fmt::format("{}.damaged{}", file.string(), number);
    }
    return name;
  }

  /// What is later than the checkpoint: damaged files get another name, the others go.
  void give_up(const Start& start) const {
    for (const std::filesystem::path& file : start.later) {
      const bool damaged = !start.from->damaged.empty();
      std::error_code failed;
      if (damaged) {
        const std::filesystem::path other = free_name(file);
        std::filesystem::rename(file, other, failed);
        if (!failed) {
          fmt::print(stderr, "kumiko: warning: '{}' is called '{}' now\n", file.string(),
                     other.filename().string());
        }
      } else {
        std::filesystem::remove(file, failed);
      }
      if (failed) {
        throw io::OutputError(
            fmt::format("cannot put '{}' out of the way: {}", file.string(), failed.message()));
      }
    }
    folder_.forget_end();
  }

  const Problem& problem_;
  io::OutputFolder folder_;
  std::optional<std::filesystem::path> from_;
  io::DiagnosticsCsv csv_;
  io::LoadCsv load_csv_;
  int next_load_;
  std::vector<std::uint64_t> reported_;  ///< updates per worker up to the last row
  bool has_rows_;
  StateWriter states_;
  std::optional<viz::Range> colours_;
  std::optional<amr::Trace> trace_;
};

void check_trace(const Start& start) {
  const Problem& problem = start.problem;
  if (problem.trace_from < 0) return;
  const int first = start.from ? start.from->checkpoint.run.step : 0;
  if (problem.trace_from < first) {
    throw RequestError(fmt::format(
        "trace.from: the run goes on from base step {}; choose a later one, or -1 for no trace",
        first));
  }
  if (problem.trace_from >= problem.stop_step) {
    throw RequestError(
        fmt::format("trace.from: the run ends at base step {}; choose 0 .. {}, or -1 for no trace",
                    problem.stop_step, problem.stop_step - 1));
  }
}

void print_load(const io::RunSummary& s) {
  amr::WorkerLoad all;
  for (const amr::WorkerLoad& load : s.load) all += load;
  const double time = all.busy_s + all.wait_s;
  if (time > 0.0) fmt::print("workers busy         {:.1f} %\n", 100.0 * all.busy_s / time);
  if (s.longest_waits.empty()) return;
  const amr::PatchWait& wait = s.longest_waits.front();
  const std::string who = wait.cause == amr::WaitCause::kLevel
                              ? fmt::format("worker {}", wait.worker)
                              : to_string(wait.patch);
  fmt::print("longest wait         {:.2g} s, base step {}: {} for {} ({})\n", wait.seconds,
             wait.step, who, to_string(wait.awaited), to_string(wait.cause));
}

void print_component(const io::ComponentSummary& c) {
  fmt::print("  {:<19}", c.name);
  if (c.rms) fmt::print("RMS {:.4e}, relative L1 {:.4e}, ", *c.rms, *c.l1_relative);
  fmt::print("range {:.4f} .. {:.4f}\n", c.minimum, c.maximum);
}

void print_summary(const io::RunSummary& s) {
  fmt::print("case {}  solver {}  backend {}  workers {}  base steps {}\n", s.case_name, s.solver,
             s.backend, s.workers, s.steps);
  if (s.rms) {
    fmt::print("RMS error            {:.4e}\n", *s.rms);
    fmt::print("relative L1 error    {:.4e}\n", *s.l1_relative);
    fmt::print("largest error        {:.4f}\n", *s.linf);
  }
  fmt::print("range                {:.4f} .. {:.4f}\n", s.minimum, s.maximum);
  for (const io::ComponentSummary& component : s.components) print_component(component);
  fmt::print("mass drift           {:.3e}\n", s.mass_drift);
  fmt::print("point updates        {}  ({:.2f} % of the uniform fine grid)\n", s.updates_total,
             100.0 * s.fraction_of_uniform);
  fmt::print("patches per level    {}  ({} regrids)\n", fmt::join(s.patches_per_level, ", "),
             s.regrids);
  if (s.unnested_patches > 0) {
    fmt::print(
        "patches left out     {} tagged ones, which do not nest; a larger amr.buffer lets "
        "them\n",
        s.unnested_patches);
  }
  fmt::print("wall time            {:.2f} s  ({:.3g} updates/s and core)\n", s.wall_s,
             s.updates_per_core_s);
  fmt::print("balance efficiency   {:.3f}  ({} steals)\n", s.balance_efficiency, s.steals);
  print_load(s);
  fmt::print("memory               {:.1f} bytes per point; {:.0f} MB at the peak\n",
             s.memory.bytes_per_point(), static_cast<double>(s.peak_rss_bytes) * 1e-6);
  fmt::print("state hash           {}\n", s.state_hash);
}

Hooks hooks_for(const Problem& problem, amr::Backend& backend, RunFiles& files,
                Progress& progress) {
  const amr::ParameterSet& keys = problem.config.values();
  Hooks hooks;
  hooks.diagnose = [&](const amr::Simulation& state) { files.write_row(state, backend); };
  hooks.every = static_cast<int>(keys.integer("diagnostics.every"));
  hooks.output = [&](const amr::Simulation& state, const RunFigures& figures) {
    files.write_state(state, figures);
  };
  hooks.output_every = static_cast<int>(keys.integer("output.every"));
  hooks.checkpoint = [&](const amr::Simulation& state, const RunFigures& figures) {
    files.write_checkpoint(state, backend, figures);
  };
  hooks.settle = [&] { files.settle(); };
  hooks.checkpoint_s = [&] { return files.longest_checkpoint_s(); };
  if (problem.trace_from >= 0) {
    hooks.end_trace = [&](amr::Trace trace) { files.write_trace(std::move(trace)); };
  }
  hooks.progress = [&](const amr::Simulation& state) {
    files.write_load(state);
    progress.show(state);
  };
  return hooks;
}

std::optional<RunFigures> past_of(const std::optional<Restart>& from) {
  if (!from) return std::nullopt;
  const io::RunAttributes& attributes = from->checkpoint.attributes;
  return RunFigures{attributes.initial_mass, attributes.wall_s};
}

/// What to do when a run has failed, for the end of its message; empty when nothing is left of it.
/// The newest checkpoint may still be on its way to the disk.
std::string way_on(RunFiles& files) {
  files.settle_quietly();
  if (!files.latest()) return {};
  return fmt::format("; go on with --restart {}", files.latest()->string());
}

}  // namespace

int run_command(const Request& request) {
  heed_signals();
  Start start = start_of(request);
  const Problem& problem = start.problem;
  if (!start.folder) check_output(start.path, start.earlier);
  const auto backend = load_backend(request.backend, problem);
  check_trace(start);
  const auto simulation =
      make_simulation(problem, *backend, start.from ? &start.from->checkpoint : nullptr);
  // The summary's folder may be the one that the run makes.
  const bool beside =
      request.summary.parent_path().lexically_normal() == start.path.lexically_normal();
  if (!beside) prepare_summary(request.summary);
  RunFiles files(start, *backend, *simulation);
  if (beside) prepare_summary(request.summary, true);
  if (start.from && !request.quiet) {
    fmt::print("goes on from {}, base step {}\n", start.from->file.string(), simulation->step());
    std::fflush(stdout);
  }
  if (!start.from) files.write_picture(*simulation, "field_start.png");

  io::RunSummary summary;
  {
    if (start.from && !files.has_rows()) files.write_row(*simulation, *backend);
    Progress progress(request.quiet, problem.config.values().text("case.name"), *simulation,
                      problem.stop_step);
    try {
      summary = execute(problem, *backend, *simulation,
                        hooks_for(problem, *backend, files, progress), past_of(start.from));
    } catch (const std::exception& error) {
      const std::string way = way_on(files);
      if (way.empty()) throw;
      throw std::runtime_error(error.what() + way);
    }
  }
  files.write_picture(*simulation, "field_end.png");
  files.finish(summary, simulation->dt(), request.summary);
  if (!request.quiet) {
    print_summary(summary);
    fmt::print("files                {}/\n", start.path.string());
  }
  return kDone;
}

}  // namespace kumiko::app
