#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/hdf5_writer.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/summary.hpp>
#include <kumiko/viz/field_image.hpp>

#include "execute.hpp"
#include "progress.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

std::filesystem::path output_path(const Request& request, const Problem& problem) {
  if (!request.output.empty()) return request.output;
  return std::filesystem::path("out") / problem.config.values().text("case.name");
}

/// Writes the files of one run.
class RunFiles {
 public:
  RunFiles(const Problem& problem, const amr::Backend& backend, io::OutputFolder folder)
      : problem_(problem),
        folder_(std::move(folder)),
        csv_(folder_.file("diagnostics.csv"), problem.options.levels, backend.workers()) {}

  void write_row(const amr::Simulation& simulation, amr::Backend& backend) {
    const amr::FieldFigures field = amr::field_figures(simulation.hierarchy(), backend);
    if (!field.finite) {
      throw std::runtime_error(fmt::format(
          "the field holds values that are not finite at base step {}; the case or the solver "
          "is not stable as configured",
          simulation.step()));
    }
    io::DiagnosticsRow row;
    row.step = simulation.step();
    row.time = simulation.time();
    row.mass = field.mass;
    row.minimum = field.minimum;
    row.maximum = field.maximum;
    for (int level = 0; level < simulation.hierarchy().max_levels(); ++level) {
      row.patches.push_back(simulation.hierarchy().level(level).size());
    }
    const std::vector<std::uint64_t>& updates = simulation.counters().updates_per_worker;
    reported_.resize(updates.size());
    for (std::size_t worker = 0; worker < updates.size(); ++worker) {
      row.updates.push_back(updates[worker] - reported_[worker]);
    }
    reported_ = updates;
    csv_.row(row);
  }

  void write_state(const amr::Simulation& simulation) const {
    io::StateAttributes attributes;
    attributes.step = simulation.step();
    attributes.time = simulation.time();
    attributes.dt = simulation.dt();
    attributes.configuration = problem_.config.to_toml();
    attributes.component_names = {"u"};
    io::write_state(folder_.file(fmt::format("state_{:06}.hdf", simulation.step())),
                    simulation.hierarchy(), attributes);
  }

  void write_picture(const amr::Simulation& simulation, const std::string& name) const {
    if (!viz::pictures_available()) return;
    viz::FieldImageOptions options;
    options.title =
        fmt::format("{}   step {}   t = {:.4f}", problem_.config.values().text("case.name"),
                    simulation.step(), simulation.time());
    viz::draw_field(folder_.file(name), simulation.hierarchy(), options);
  }

  void write_trace(amr::Backend& backend) const {
    folder_.write("trace.json", [&](std::ostream& out) { backend.stop_trace(out); });
  }

  /// Last of all: its presence says that the run is complete.
  void finish(const io::RunSummary& summary, const std::filesystem::path& copy) {
    csv_.finish();
    const std::string text = io::to_json(summary).dump(2) + "\n";
    folder_.write_text("summary.json", text);
    if (!copy.empty()) io::write_text_file(copy, text);
  }

 private:
  const Problem& problem_;
  io::OutputFolder folder_;
  io::DiagnosticsCsv csv_;
  std::vector<std::uint64_t> reported_;  ///< updates per worker up to the last row
};

void check_trace(const Problem& problem, const amr::Backend& backend) {
  if (problem.trace_from < 0) return;
  if (problem.trace_from >= problem.stop_step) {
    throw RequestError(
        fmt::format("trace.from: the run ends at base step {}; choose 0 .. {}, or -1 for no trace",
                    problem.stop_step, problem.stop_step - 1));
  }
  if (backend.can_trace()) return;
  if (!runtime::sleeps(problem.idle)) {
    throw RequestError(fmt::format(
        "trace.from: workers that never sleep keep no trace, and runtime.idle is '{}'; choose "
        "adaptive or sleep",
        problem.config.values().text("runtime.idle")));
  }
  throw RequestError(fmt::format(
      "trace.from: backend '{}' keeps no trace; choose --backend threads", backend.name()));
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
  fmt::print("mass drift           {:.3e}\n", s.mass_drift);
  fmt::print("point updates        {}  ({:.2f} % of the uniform fine grid)\n", s.updates_total,
             100.0 * s.fraction_of_uniform);
  fmt::print("patches per level    {}\n", fmt::join(s.patches_per_level, ", "));
  fmt::print("wall time            {:.2f} s  ({:.3g} updates/s and core)\n", s.wall_s,
             s.updates_per_core_s);
  fmt::print("balance efficiency   {:.3f}  ({} steals)\n", s.balance_efficiency, s.steals);
  fmt::print("peak memory          {:.0f} MB\n", static_cast<double>(s.peak_rss_bytes) * 1e-6);
  fmt::print("state hash           {}\n", s.state_hash);
}

}  // namespace

int run_command(const Request& request) {
  const Problem problem = load_problem(request);
  const std::filesystem::path path = output_path(request, problem);
  check_output(path, request.overwrite);
  const auto backend = load_backend(request.backend, problem);
  check_trace(problem, *backend);
  const auto simulation = make_simulation(problem, *backend);
  // The summary's folder may be the one that the run makes.
  const bool beside = request.summary.parent_path().lexically_normal() == path.lexically_normal();
  if (!beside) prepare_summary(request.summary);
  RunFiles files(problem, *backend, open_output(path, request.overwrite));
  if (beside) prepare_summary(request.summary);
  files.write_picture(*simulation, "field_start.png");

  io::RunSummary summary;
  {
    Progress progress(request.quiet, problem.config.values().text("case.name"), problem.stop_step);
    Hooks hooks;
    hooks.diagnose = [&](const amr::Simulation& state) { files.write_row(state, *backend); };
    hooks.every = static_cast<int>(problem.config.values().integer("diagnostics.every"));
    hooks.output = [&](const amr::Simulation& state) { files.write_state(state); };
    hooks.output_every = static_cast<int>(problem.config.values().integer("output.every"));
    if (problem.trace_from >= 0) hooks.end_trace = [&] { files.write_trace(*backend); };
    hooks.progress = [&](const amr::Simulation& state) { progress.show(state); };
    end_on_signals();
    summary = execute(problem, *backend, *simulation, hooks);
  }
  files.write_picture(*simulation, "field_end.png");
  files.finish(summary, request.summary);
  if (!request.quiet) {
    print_summary(summary);
    fmt::print("files                {}/\n", path.string());
  }
  return kDone;
}

}  // namespace kumiko::app
