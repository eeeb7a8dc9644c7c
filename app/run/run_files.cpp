#include "run/run_files.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/cluster/errors.hpp>
#include <kumiko/io/earlier_table.hpp>
#include <kumiko/io/manifest.hpp>
#include <kumiko/io/read_number.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/io/trace_file.hpp>
#include <kumiko/runtime/fault.hpp>
#include <kumiko/viz/state_image.hpp>

#include "run/complete_run.hpp"
#include "run/earlier_tables.hpp"
#include "run/origin.hpp"
#include "run/run_parts.hpp"
#include "run/run_summary.hpp"
#include "terminal/summary_file.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// Some 450 MB of trace.json, which Perfetto in a browser hardly takes.
constexpr std::size_t kMostPiecesAsJson = std::size_t{1} << 20U;

/// The colours of the first picture of a run that continues: the range of its first component at
/// step 0. Nothing if the folder has no row of that step, or the values are all the same.
std::optional<viz::Range> first_colours(const Start& start) {
  if (start.earlier != io::Earlier::kContinue) return std::nullopt;
  const io::EarlierTable table(start.path / "diagnostics.csv", 0);
  const std::vector<std::string> names = start.setup.the_case->component_names();
  const std::string end = names.size() > 1 ? "_" + names.front() : "";
  std::optional<viz::Range> range;
  table.for_each([&](const io::EarlierTable::Fields& row) {
    std::optional<double> low;
    std::optional<double> high;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (table.columns()[column] == "min" + end) low = io::read_number<double>(row[column]);
      if (table.columns()[column] == "max" + end) high = io::read_number<double>(row[column]);
    }
    if (!range && low && high && *low < *high) range = {*low, *high};
  });
  return range;
}

/// The restarts that have changed the course of a run, this one among them.
std::vector<io::Ancestor> lineage_of(const Start& start, const amr::Simulation& simulation) {
  if (!start.from) return {};
  std::vector<io::Ancestor> lineage = start.from->checkpoint.attributes.lineage;
  if (!start.changes.empty()) {
    lineage.push_back({simulation.step(), simulation.state_hash(), start.changes});
  }
  return lineage;
}

io::StateWriterOptions writer_options(const Start& start, const std::filesystem::path& folder,
                                      std::vector<io::Ancestor> lineage) {
  const Setup& setup = start.setup;
  io::StateWriterOptions options;
  options.configuration = setup.config.state_toml();
  options.lineage = std::move(lineage);
  options.begun_from = setup.begun_from;
  options.sidecar.origin = origin_now();
  options.sidecar.paths = {start.configuration, folder, setup.case_file, setup.solver_file};
  options.sidecar.configuration = setup.config.run_values();
  options.compression = setup.run.compression;
  options.extras = setup.run.output_extras;
  options.keep = static_cast<std::size_t>(setup.run.checkpoints_kept);
  if (setup.run.on_failure == io::OnFailure::kContinue) {
    options.on_failed_checkpoint = [](const std::exception& cause) {
      // The run's own error reports it.
      if (dynamic_cast<const cluster::RankLost*>(&cause) != nullptr) return;
      print_warning("no checkpoint: {}", cause.what());
    };
  }
  return options;
}

/// A free name for a damaged file, which is kept.
std::filesystem::path free_name(const std::filesystem::path& file) {
  std::filesystem::path name = file.string() + ".damaged";
  for (int number = 2; std::filesystem::exists(name); ++number) {
    name = fmt::format("{}.damaged{}", file.string(), number);
  }
  return name;
}

}  // namespace

RunFiles::RunFiles(Start& start, amr::Backend& backend, const amr::Simulation& simulation)
    : setup_(start.setup),
      folder_(start.folder ? std::move(*start.folder) : open_output(start.path, start.earlier)),
      earlier_(start.earlier == io::Earlier::kContinue ? io::earlier_manifest(folder_.path())
                                                       : io::EarlierManifest()),
      from_(start.from ? std::optional(start.from->file) : std::nullopt),
      has_last_state_(app::has_last_state(start)),
      next_load_(simulation.step()),
      states_(*setup_.the_case, backend,
              writer_options(start, folder_.path(), lineage_of(start, simulation)),
              simulation.communicator()) {
  begin_tables(start, simulation);
  colours_ = first_colours(start);
  const bool has_one_length = states_.lineage().empty() && !setup_.begun_from;
  if (setup_.options.steps > 0 && has_one_length) dt_ = simulation.dt();
  // Nothing refuses the run any more.
  if (start.earlier == io::Earlier::kContinue) {
    warn_of_altered_tables(folder_.path());
    give_up(start);
  }
  io::write_text_file(new_file(std::string(io::kConfigurationFile)), setup_.config.to_toml());
  advise();
}

void RunFiles::begin_tables(const Start& start, const amr::Simulation& simulation) {
  const auto is_given_up = [&](const std::string& name, const io::EarlierTable& rows) {
    if (!is_lost(start, name, rows)) return false;
    earlier_.lost.insert(name);
    return true;
  };
  // First, because it may refuse the run.
  records_.emplace(
      start, simulation, [this](const std::string& name) { return new_file(name); }, is_given_up);
  constexpr const char* kLoad = "load.csv";
  const io::EarlierTable load = earlier_rows(start, kLoad, simulation.step() - 1, RowSteps::kEach);
  if (!is_given_up(kLoad, load)) load_csv_.emplace(new_file(kLoad), load);
  constexpr const char* kDiagnostics = "diagnostics.csv";
  const io::EarlierTable rows =
      earlier_rows(start, kDiagnostics, simulation.step(), RowSteps::kSomeAndTheLast);
  if (is_given_up(kDiagnostics, rows)) return;
  const std::vector<amr::WorkerLoad>& loads = simulation.counters().workers;
  csv_.emplace(new_file(kDiagnostics), setup_.options.levels, static_cast<int>(loads.size()), rows,
               setup_.the_case->component_names());
  has_rows_ = start.earlier == io::Earlier::kContinue && !csv_->is_new();
  reported_ = csv_->earlier_updates();
  // Without its sidecar a run counts anew below the rows that it has.
  for (std::size_t worker = 0; worker < reported_.size(); ++worker) {
    const std::uint64_t counted = worker < loads.size() ? loads[worker].updates : 0;
    reported_[worker] = has_rows_ ? std::min(reported_[worker], counted) : counted;
  }
}

std::optional<std::filesystem::path> RunFiles::latest() const {
  const std::optional<std::filesystem::path>& file = states_.latest() ? states_.latest() : from_;
  if (!file || !std::filesystem::exists(*file)) return std::nullopt;
  return file;
}

void RunFiles::advise() {
  if (has_advised_ && advised_ == latest()) return;
  has_advised_ = true;
  advised_ = latest();
  // First what must not be cut off.
  std::string lines;
  if (latest()) {
    lines += fmt::format("  continue with --restart {}{}\n", io::shell_word(latest()->string()),
                         plugin_options(setup_));
  }
  lines += fmt::format("  {}\n", plugins_in_words(setup_));
  runtime::set_fault_advice(lines);
}

void RunFiles::write_load(const amr::Simulation& simulation) {
  states_.settle_if_written();
  advise();
  for (const amr::BaseStepLoad& load : simulation.recent_steps()) {
    if (load.step < next_load_) continue;
    if (load_csv_) load_csv_->add(load);
    next_load_ = load.step + 1;
  }
}

void RunFiles::diagnose(const amr::Simulation& simulation) {
  if (!csv_) return;
  amr::FieldFigures field = simulation.field_figures();
  if (!field.finite) simulation.check_finite();
  io::DiagnosticsRow row;
  row.step = simulation.step();
  row.time = simulation.time();
  row.dt = simulation.dt();
  row.largest_cfl = simulation.counters().largest_cfl;
  row.field = std::move(field);
  row.patches = patches_per_level(simulation);
  const std::vector<amr::WorkerLoad>& loads = simulation.counters().workers;
  for (std::size_t worker = 0; worker < loads.size(); ++worker) {
    row.updates.push_back(loads[worker].updates -
                          std::min(reported_[worker], loads[worker].updates));
    reported_[worker] = loads[worker].updates;
  }
  csv_->row(row);
}

void RunFiles::output(const amr::Simulation& simulation, const io::RunHistory& history) {
  simulation.check_finite();
  const std::filesystem::path file = new_file(io::state_name(simulation.step()));
  new_file(io::sidecar_of(file).filename().string());
  states_.write_state(file, simulation, history);
  times_[simulation.step()] = simulation.time();
  advise();
}

void RunFiles::checkpoint(const amr::Simulation& simulation, const io::RunHistory& history) {
  simulation.check_finite();
  const std::filesystem::path file = new_file(io::checkpoint_name(simulation.step()));
  new_file(io::sidecar_of(file).filename().string());
  states_.write_checkpoint(file, simulation, history);
  advise();
}

void RunFiles::checkpoint_of_failure(const amr::Simulation& simulation,
                                     const io::RunHistory& history) noexcept {
  try {
    checkpoint(simulation, history);
    settle();
  } catch (const std::exception&) {
    // The run's own failure is reported; the newest checkpoint is the one before.
  }
}

void RunFiles::end_quietly() noexcept {
  for (const auto last_work : {&RunFiles::settle, &RunFiles::write_trace}) {
    try {
      (this->*last_work)();
    } catch (const std::exception&) {
      // The failure of the run is the one to report; the newest checkpoint may be the one before.
    }
  }
}

void RunFiles::write_picture(const amr::Simulation& simulation, const std::string& name) {
  if (!viz::pictures_available()) return;
  std::string why;
  try {
    const amr::SavedRun state = simulation.save();
    if (!colours_) colours_ = viz::value_range(state, viz::Quantity::kField);
    viz::StateImageOptions options;
    options.title = fmt::format("{}   step {}   t = {:#.5g}", setup_.run.case_name,
                                simulation.step(), simulation.time());
    options.name = setup_.the_case->component_names().front();
    options.range = colours_;
    options.width = viz::kUsualPictureWidth;
    const std::string picture = viz::draw_state(state, simulation.hierarchy().geometry(), options);
    io::write_text_file(new_file(name), picture);
    return;
  } catch (const std::bad_alloc&) {
    why = "there is not enough memory";
  } catch (const std::exception& error) {
    why = error.what();
  }
  print_warning("there is no picture {}: {}", name, why);
}

void RunFiles::write_trace() {
  if (!trace_) return;
  const amr::Trace trace = std::move(*trace_);
  trace_.reset();
  io::write_trace(new_file(io::kTraceFile), trace);
  if (trace.pieces.size() > kMostPiecesAsJson) {
    print_to_stderr(
        "kumiko: note: a trace.json of {} pieces would be too large for viewers; kumiko export "
        "--format chrome makes it\n",
        trace.pieces.size());
    return;
  }
  io::write_text_file(new_file("trace.json"),
                      [&](std::ostream& out) { io::write_chrome_trace(out, trace); });
}

/// Of a state of the run, or of an earlier part of it.
double RunFiles::time_of(std::int64_t step, const std::filesystem::path& file) const {
  const auto own = times_.find(step);
  if (own != times_.end()) return own->second;
  if (dt_) return static_cast<double>(step) * *dt_;
  try {
    return io::open_checkpoint(file).attributes.time;
  } catch (const io::CheckpointError&) {
    // It cannot be shown at any time.
    return static_cast<double>(step);
  }
}

void RunFiles::finish(const nlohmann::ordered_json& summary, const std::filesystem::path& copy) {
  // A trace that cannot be written must not lose the run's results.
  std::exception_ptr failed;
  try {
    write_trace();
  } catch (const std::exception&) {
    failed = std::current_exception();
  }
  if (csv_) csv_->finish();
  if (load_csv_) load_csv_->finish();
  records_->finish();
  io::write_text_file(new_file("states.hdf.series"),
                      io::make_series(folder_, [this](std::int64_t step, const auto& file) {
                        return time_of(step, file);
                      }));
  const std::string text = summary.dump(2) + "\n";
  io::write_text_file(folder_.file(io::kManifestFile), io::make_manifest(folder_, text, earlier_));
  io::write_text_file(folder_.file(io::kSummaryFile), text);
  write_summary(copy, text);
  if (failed) std::rethrow_exception(failed);
}

std::filesystem::path RunFiles::new_file(const std::string& name) {
  earlier_.written.insert(name);
  if (folder_.make_again()) {
    print_warning(
        "'{}' was removed during the run; it is made again for states and checkpoints, "
        "from which a restart can continue, but the run's tables are lost and it will end as "
        "failed",
        folder_.path().string());
    io::write_text_file(folder_.file(io::kConfigurationFile), setup_.config.to_toml());
  }
  return folder_.file(name);
}

/// Gives up the files that are later than the checkpoint: renames damaged ones, and removes the
/// others and sidecars without a file.
void RunFiles::give_up(const Start& start) const {
  for (const std::filesystem::path& file : start.later) {
    const bool damaged = !start.from->damaged.empty();
    std::error_code failed;
    std::error_code missing;
    if (damaged) {
      const std::filesystem::path other = free_name(file);
      std::filesystem::rename(file, other, failed);
      if (!failed) std::filesystem::rename(io::sidecar_of(file), io::sidecar_of(other), missing);
      if (!failed) {
        print_warning("'{}' was renamed to '{}'", file.string(), other.filename().string());
      }
    } else {
      std::filesystem::remove(file, failed);
    }
    if (failed) {
      throw io::OutputError(
          fmt::format("cannot remove or rename '{}': {}", file.string(), failed.message()));
    }
  }
  std::error_code ignored;
  for (const std::string_view pattern : {io::kCheckpointSidecars, io::kStateSidecars}) {
    for (const auto& [step, sidecar] : io::lone_sidecars(folder_.path(), pattern)) {
      if (step > start.from->checkpoint.run.step) std::filesystem::remove(sidecar, ignored);
    }
  }
  folder_.forget_end();
}

}  // namespace kumiko::app
