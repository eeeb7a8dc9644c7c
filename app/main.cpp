// The kumiko command: parses, hands over, and turns what goes wrong into one line and an exit code.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/io/schema.hpp>

#include "experiments/comparison.hpp"
#include "export_pictures.hpp"
#include "key_reference.hpp"
#include "misspelling.hpp"
#include "plugins.hpp"
#include "request.hpp"
#include "status.hpp"
#include "terminal.hpp"
#include "value_check.hpp"

namespace kumiko::app {
namespace {

CLI::Validator choice(const std::vector<std::string>& choices) {
  return {one_of(choices), in_braces(choices)};
}

CLI::Validator between(std::uint64_t least, std::uint64_t most) {
  return {whole_number(least, most), fmt::format("from {} to {}", least, most)};
}

/// @return the option of the configuration
CLI::Option* add_common_options(CLI::App& command, Request& request) {
  CLI::Option* const config = command.add_option("CASE.toml", request.config, "the configuration");
  command.add_option("--set", request.overrides, "KEY=VALUE: change a key of the configuration")
      ->expected(1)
      ->take_all();
  command.add_option("--workers", request.workers, "OS threads that work (default: all available)")
      ->check(between(1, 4096));
  command.add_option("--summary", request.summary, "write the figures to this JSON file too");
  command.footer(key_reference);
  return config;
}

void add_plugin_path(CLI::App& command, std::vector<std::filesystem::path>& paths) {
  command
      .add_option("--plugin-path", paths,
                  "folder of plugins, or one plugin's file; beside those of KUMIKO_PLUGIN_PATH")
      ->expected(1)
      ->take_all()
      ->check(not_empty());
}

/// The commands about solvers, or about cases.
struct KindCommands {
  CLI::App* of;
  CLI::App* list;
  CLI::App* make;

  KindCommands(CLI::App& app, const std::string& kind, Request& request,
               std::vector<std::filesystem::path>& plugin_path) {
    of = app.add_subcommand(kind, "the " + kind + "s");
    of->require_subcommand(1);
    list = of->add_subcommand("list", "name the " + kind + "s found");
    make = of->add_subcommand("new", "write a folder with a " + kind + " to begin with");
    make->add_option("NAME", request.name, "its name: small letters, digits and _")->required();
    make->add_option("--output", request.output, "the folder (default: NAME)")->check(not_empty());
    add_plugin_path(*list, plugin_path);
    add_plugin_path(*make, plugin_path);
  }
};

CLI::App* add_simulate(CLI::App& app, Request& request) {
  CLI::App* const simulate = app.add_subcommand(
      "simulate",
      "predict from a trace what the run would take on other numbers of workers, by dataflow, "
      "level by level, in static strips and by OpenMP; a model of schedules, not of memory");
  simulate->add_option("TRACE", request.file, "a trace.hdf, or the folder of a run with one")
      ->required();
  simulate
      ->add_option("--workers", request.worker_list,
                   "P1,P2,...: numbers of workers; FIRST..LAST: doubled from first to last")
      ->capture_default_str();
  simulate->add_option("--models", request.models, "A,B,C: schedules")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(choice({"dataflow", "level", "static", "openmp"}))
      ->capture_default_str();
  simulate
      ->add_option("--overhead", request.overheads,
                   "NAME=NANOSECONDS instead of what the trace tells or of the default: piece or "
                   "phase, each with .SCHEDULE, barrier, steal, look")
      ->expected(1)
      ->take_all();
  simulate
      ->add_option("--output", request.output,
                   "folder for simulate.csv, simulate.json, speed_up.svg and efficiency.svg")
      ->check(not_empty());
  simulate->add_flag("--overwrite", request.overwrite, "replace such files there");
  simulate->add_option("--seed", request.seed, "for whom thieves ask first")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  simulate->add_flag("--json", request.json, "as JSON");
  return simulate;
}

CLI::App* add_compare(CLI::App& app, Request& request) {
  CLI::App* const compare =
      app.add_subcommand("compare",
                         "run solvers at several resolutions, or one with several values of any "
                         "key: errors, costs and published values in tables and a work-precision "
                         "plot");
  add_common_options(*compare, request)->required();
  compare->add_option("--solvers", request.solvers, "A,B,C: solvers to compare, by name")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->take_all();
  compare
      ->add_option(
          "--solver", request.variants,
          "NAME[,KEY=VALUE]...: one more, with keys of [solver] or, written in full such as "
          "amr.levels=1 or case.sigma=0.1, any others of its own. Several variants of one solver, "
          "told apart by their keys, are a sweep: --solver A,amr.buffer=2 --solver A,amr.buffer=4. "
          "The file's [solver] is for the solver that it names")
      ->expected(1)
      ->take_all();
  compare
      ->add_option(
          "--resolutions", request.resolutions,
          "N1,N2,...: points of level 0 in x; y and time.steps follow in proportion, and the "
          "amr.thresholds by amr.threshold_order (default: the file's)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(between(16, 65536));
  compare->add_option("--norm", request.norm, "of the error, for orders and the plot")
      ->check(choice(norm_names()))
      ->capture_default_str();
  compare->add_option("--repetitions", request.repetitions, "runs of each, for the wall time")
      ->check(between(1, 1000))
      ->capture_default_str();
  compare->add_option("--backend", request.backend, "how patches are shared out")
      ->check(choice(amr::backend_names()))
      ->capture_default_str();
  compare
      ->add_option("--output", request.output,
                   "folder for compare.csv, .json, .md and work_precision.svg (default: none)")
      ->check(not_empty());
  compare->add_flag("--overwrite", request.overwrite, "replace an earlier comparison's files");
  compare->add_flag("--quiet", request.quiet, "show no progress");
  return compare;
}

CLI::App* add_scaling(CLI::App& app, Request& request) {
  CLI::App* const scaling = app.add_subcommand(
      "scaling",
      "run a case on several backends with several numbers of workers: speed-up and load-balance "
      "efficiency in a table and charts");
  add_common_options(*scaling, request)->required();
  scaling->remove_option(scaling->get_option("--workers"));
  scaling
      ->add_option("--workers", request.worker_counts,
                   "N1,N2,...: numbers of workers (default: 1, 2, 4, ... up to the cores)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(between(1, 4096));
  scaling
      ->add_option("--backends", request.backends,
                   "A,B,...: how patches are shared out; pthread on one worker, which speed-up is "
                   "counted from, runs in any case, and serial on one worker only")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(choice(amr::backend_names()))
      ->capture_default_str();
  scaling->add_option("--repetitions", request.repetitions, "runs of each, in turn")
      ->check(between(1, 1000))
      ->capture_default_str();
  scaling
      ->add_option(
          "--output", request.output,
          "folder for scaling.csv, scaling.json, speed_up.svg and efficiency.svg (default: "
          "none)")
      ->check(not_empty());
  scaling->add_flag("--overwrite", request.overwrite, "replace an earlier scaling run's files");
  scaling->add_flag("--quiet", request.quiet, "show no progress");
  return scaling;
}

CLI::App* add_report(CLI::App& app, Request& request) {
  CLI::App* const report = app.add_subcommand(
      "report", "make one HTML page of a finished run, or of several side by side");
  report->add_option("DIR", request.folders, "folders of finished runs")->required();
  report->add_option("--output", request.output, "the page (default: report.html in the first DIR)")
      ->check(not_empty());
  report->add_option("--csv", request.tables, "write the numbers of all charts to this folder too")
      ->check(not_empty());
  report
      ->add_option("--times", request.times,
                   "T1,T2,...: show the states nearest to these times (default: four of the run)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(any_number());
  report->add_option("--title", request.title, "of the page (default: the cases' names)")
      ->check(not_empty());
  report->add_flag("--quiet", request.quiet, "do not name the files written");
  return report;
}

void add_picture_options(CLI::App& command, Request& request) {
  command
      .add_option("--quantity", request.quantity,
                  "what pictures show; all but the field want states written with "
                  "output.figures=true")
      ->check(choice(quantity_names()))
      ->capture_default_str();
  command
      .add_option("--component", request.component,
                  "of the field, by name (default: the first one)")
      ->check(not_empty());
  command
      .add_option("--range", request.range,
                  "LOW,HIGH: values of the first and the last colour (default: the least and the "
                  "largest value of all files)")
      ->check(not_empty());
  command.add_option("--fps", request.fps, "pictures a second of an animation")
      ->check(between(1, 120))
      ->capture_default_str();
  command.add_option("--width", request.width, "of a picture of a square domain, in pixels")
      ->check(between(300, 8000))
      ->capture_default_str();
}

/// None is taken and then ignored.
void check_picture_options(const CLI::App& command, const Request& request) {
  for (const char* name : {"--quantity", "--component", "--range", "--fps", "--width"}) {
    const bool fits = name == std::string_view("--fps") ? is_animation_format(request.format)
                                                        : is_picture_format(request.format);
    if (fits || command.get_option(name)->count() == 0) continue;
    throw RequestError(fmt::format(
        "{} does not go with --format {}; it is for {}", name, request.format,
        name == std::string_view("--fps") ? "mp4, gif and webm" : "png, mp4, gif and webm"));
  }
}

CLI::App* add_export(CLI::App& app, Request& request) {
  CLI::App* const exported =
      app.add_subcommand("export", "put checkpoints, states or traces into another format");
  exported
      ->add_option(
          "FILE", request.files,
          "checkpoints or states, for pictures also a run's folder, for all its states; or "
          "a trace, or the folder of a run that has one")
      ->required();
  exported
      ->add_option(
          "--format", request.format,
          "of a state: plotfile, AMReX's folder plt_NNNNNN; png, pictures "
          "frame_NNNNNN.png; mp4, gif, webm, an animation by ffmpeg. Of a trace: chrome, a "
          "file trace.json for Perfetto; otf2, a folder trace_otf2; csv, a table trace.csv")
      ->check(choice({"plotfile", "png", "mp4", "gif", "webm", "chrome", "otf2", "csv"}))
      ->capture_default_str();
  exported->add_option("--output", request.output, "folder for the results (default: this one)");
  exported->add_flag("--quiet", request.quiet, "do not name the results");
  add_picture_options(*exported, request);
  return exported;
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Patch-based adaptive mesh refinement on lightweight threads", "kumiko"};
  app.set_version_flag("--version", "kumiko " KUMIKO_VERSION);
  app.require_subcommand(1);
  Request request;

  CLI::App* const run = app.add_subcommand("run", "run a case");
  CLI::Option* const config = add_common_options(*run, request);
  run->add_option("--backend", request.backend, "how patches are shared out")
      ->check(choice(amr::backend_names()))
      ->capture_default_str();
  run->add_option("--output", request.output, "folder for the run's files (default: out/<case>)")
      ->check(not_empty());
  run->add_flag("--quiet", request.quiet, "print errors only");
  run->add_flag("--overwrite", request.overwrite, "replace the files of an earlier run there");
  CLI::Option* const restart =
      run->add_option("--restart", request.restart,
                      "go on from this checkpoint, or from the 'latest' whole one of the run's "
                      "folder; without CASE.toml, by the configuration that it holds")
          ->check(not_empty());

  CLI::App* const table =
      app.add_subcommand("table", "print the thesis's tables: every backend, AMR and not");
  add_common_options(*table, request)->required();
  table->add_flag("--quiet", request.quiet, "show no progress");

  CLI::App* const compare = add_compare(app, request);
  CLI::App* const scaling = add_scaling(app, request);
  CLI::App* const simulate = add_simulate(app, request);

  CLI::App* const inspect = app.add_subcommand(
      "inspect",
      "say what a checkpoint or a state holds, and whether it, or a run's folder, is whole");
  inspect
      ->add_option("FILE", request.file,
                   "the checkpoint or state, or the folder of a finished run, to compare with its "
                   "manifest")
      ->required();
  inspect->add_flag("--json", request.json, "as JSON");

  CLI::App* const exported = add_export(app, request);

  CLI::App* const report = add_report(app, request);

  std::vector<std::filesystem::path> plugin_path;
  const KindCommands solver(app, "solver", request, plugin_path);
  CLI::App* const check = solver.of->add_subcommand(
      "check", "hold a plugin's solvers against what they declare and what the engine relies on");
  check->add_option("LIB.so", request.file, "the plugin")->required();
  check->add_option("--solver", request.solver, "only the one of this name")->check(not_empty());
  check->add_option("--set", request.overrides, "solver.KEY=VALUE: a parameter of the solver")
      ->expected(1)
      ->take_all();
  check->add_flag("--json", request.json, "as JSON");
  const KindCommands the_case(app, "case", request, plugin_path);
  for (CLI::App* const command : {run, table, compare, scaling, exported, report})
    add_plugin_path(*command, plugin_path);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {  // help, or the version
    return app.exit(shown);
  } catch (const CLI::ParseError& error) {
    return error_line(refusal_of(app, argc, argv, error), kWrongRequest);
  }
  if (inspect->parsed()) return inspect_command(request);
  if (simulate->parsed()) return simulate_command(request);
  if (check->parsed()) return check_command(request);
  const bool steps = run->parsed() || table->parsed() || compare->parsed() || scaling->parsed();
  // Before plugins are loaded, which may start threads.
  if (steps) hold_status_signal();
  const bool computes = steps || exported->parsed();
  request.plugins = computes ? usable_plugins(plugin_path) : find_plugins(plugin_path);
  if (run->parsed()) {
    if (config->empty() && restart->empty()) {
      return error_line("CASE.toml is required; see 'kumiko run --help'", kWrongRequest);
    }
    return run_command(request);
  }
  if (exported->parsed()) {
    check_picture_options(*exported, request);
    if (request.output.empty()) request.output = ".";
    return export_command(request);
  }
  if (compare->parsed()) return compare_command(request);
  if (scaling->parsed()) return scaling_command(request);
  if (report->parsed()) return report_command(request);
  if (table->parsed()) return table_command(request);
  if (solver.list->parsed()) return solver_list_command(request);
  if (the_case.list->parsed()) return case_list_command(request);
  if (solver.make->parsed()) return new_solver_command(request);
  return the_case.make->parsed() ? new_case_command(request) : kWrongRequest;
}

}  // namespace

int error_line(const std::string& message, int code) {
  // One line, whatever a library puts into its message.
  std::string line = io::with_keys(message);
  std::replace(line.begin(), line.end(), '\n', ' ');
  print_to_stderr("kumiko: error: {}\n", line);
  return code;
}

}  // namespace kumiko::app

int main(int argc, char** argv) {
  using namespace kumiko::app;
  // A file that grows beyond the limit (ulimit -f) is an error, which is told, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = dispatch(argc, argv);
    if (std::fflush(stdout) != 0) return error_line("cannot write to stdout", kRunFailed);
    return code;
  } catch (const std::filesystem::filesystem_error& error) {
    return error_line(
        fmt::format("cannot use '{}': {}", error.path1().string(), error.code().message()),
        kRunFailed);
  } catch (const std::bad_alloc&) {
    return error_line("not enough memory; lower grid.base or amr.levels", kRunFailed);
  } catch (const RequestError& error) {
    return error_line(error.what(), kWrongRequest);
  } catch (const std::exception& error) {
    return error_line(error.what(), kRunFailed);
  }
}
