// The kumiko command: parses, hands over, and turns what goes wrong into one line and an exit code.
#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/cases/registry.hpp>
#include <kumiko/io/schema.hpp>
#include <kumiko/solvers/registry.hpp>

#include "comparison.hpp"
#include "request.hpp"

namespace kumiko::app {
namespace {

/// Every key that some shipped solver or case has, with the core's. Where two declare the same
/// name, the first one's is shown.
std::string key_reference() {
  io::Schema schema;
  for (const auto& entry : cases::case_entries()) {
    for (const amr::ParameterSpec& spec : entry.parameters) {
      if (schema.find("case." + spec.name) == nullptr) schema.add_case({spec});
    }
  }
  for (const auto& entry : solvers::solver_entries()) {
    for (const amr::ParameterSpec& spec : entry.parameters) {
      if (schema.find("solver." + spec.name) == nullptr) schema.add_solver({spec});
    }
  }
  return "Keys of CASE.toml and --set:\n" + io::describe_keys(schema);
}

/// An unset variable of a script must not stand for a default.
const CLI::Validator kNotEmpty(
    [](const std::string& value) { return value.empty() ? "it is empty" : std::string(); }, "");

/// @return the option of the configuration
CLI::Option* add_common_options(CLI::App& command, Request& request) {
  CLI::Option* const config = command.add_option("CASE.toml", request.config, "the configuration");
  command.add_option("--set", request.overrides, "KEY=VALUE: change a key of the configuration")
      ->expected(1)
      ->take_all();
  command.add_option("--workers", request.workers, "OS threads that work (default: all available)")
      ->check(CLI::Range(1, 4096));
  command.add_option("--summary", request.summary, "write the figures to this JSON file too");
  command.footer(key_reference);
  return config;
}

CLI::App* add_compare(CLI::App& app, Request& request) {
  CLI::App* const compare = app.add_subcommand(
      "compare",
      "run solvers at several resolutions: errors, costs and published values in tables "
      "and a work-precision plot");
  add_common_options(*compare, request)->required();
  compare->add_option("--solvers", request.solvers, "A,B,C: solvers to compare, by name")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  compare
      ->add_option_function<std::vector<std::string>>(
          "--solver",
          [&request](const std::vector<std::string>& specs) {
            request.solvers.insert(request.solvers.end(), specs.begin(), specs.end());
          },
          "NAME[,KEY=VALUE]...: one more, with keys of [solver] or, written in full such as "
          "amr.levels=1, any others of its own; two variants of one solver differ by their keys. "
          "The file's [solver] is for the solver that it names")
      ->expected(1)
      ->take_all();
  compare
      ->add_option("--resolutions", request.resolutions,
                   "N1,N2,...: points of level 0 in x; y and time.steps follow in proportion "
                   "(default: the file's)")
      ->delimiter(',')
      ->check(CLI::Range(16, 65536));
  compare->add_option("--norm", request.norm, "of the error, for orders and the plot")
      ->check(CLI::IsMember(norm_names()))
      ->capture_default_str();
  compare->add_option("--repetitions", request.repetitions, "runs of each, for the wall time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  compare->add_option("--backend", request.backend, "how patches are shared out")
      ->check(CLI::IsMember(amr::backend_names()))
      ->capture_default_str();
  compare
      ->add_option("--output", request.output,
                   "folder for compare.csv, .json, .md and work_precision.svg (default: none)")
      ->check(kNotEmpty);
  compare->add_flag("--overwrite", request.overwrite, "replace an earlier comparison's files");
  compare->add_flag("--quiet", request.quiet, "show no progress");
  return compare;
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Patch-based adaptive mesh refinement on lightweight threads", "kumiko"};
  app.set_version_flag("--version", "kumiko " KUMIKO_VERSION);
  app.require_subcommand(1);
  Request request;

  CLI::App* const run = app.add_subcommand("run", "run a case");
  CLI::Option* const config = add_common_options(*run, request);
  run->add_option("--backend", request.backend, "how patches are shared out")
      ->check(CLI::IsMember(amr::backend_names()))
      ->capture_default_str();
  run->add_option("--output", request.output, "folder for the run's files (default: out/<case>)")
      ->check(kNotEmpty);
  run->add_flag("--quiet", request.quiet, "print errors only");
  run->add_flag("--overwrite", request.overwrite, "replace the files of an earlier run there");
  CLI::Option* const restart =
      run->add_option("--restart", request.restart,
                      "go on from this checkpoint, or from the 'latest' whole one of the run's "
                      "folder; without CASE.toml, by the configuration that it holds")
          ->check(kNotEmpty);

  CLI::App* const table =
      app.add_subcommand("table", "print the thesis's tables: every backend, AMR and not");
  add_common_options(*table, request)->required();
  table->add_flag("--quiet", request.quiet, "show no progress");

  CLI::App* const compare = add_compare(app, request);

  CLI::App* const inspect = app.add_subcommand(
      "inspect", "say what a checkpoint or a state holds, and whether it is whole");
  inspect->add_option("FILE", request.file, "the checkpoint")->required();
  inspect->add_flag("--json", request.json, "as JSON");

  CLI::App* const exported =
      app.add_subcommand("export", "put checkpoints or states into another format");
  exported->add_option("FILE", request.files, "the checkpoints")->required();
  exported
      ->add_option("--format", request.format,
                   "plotfile: AMReX's, a folder plt_NNNNNN; png: a picture frame_NNNNNN.png")
      ->check(CLI::IsMember({"plotfile", "png"}))
      ->capture_default_str();
  exported->add_option("--output", request.output, "folder for the results (default: this one)");
  exported->add_flag("--quiet", request.quiet, "do not name the results");

  CLI::App* const cases = app.add_subcommand("case", "the cases");
  cases->require_subcommand(1);
  CLI::App* const list = cases->add_subcommand("list", "name the cases found");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return error_line(std::string(error.what()) + "; see 'kumiko --help'", kWrongRequest);
  }
  if (run->parsed()) {
    if (config->empty() && restart->empty()) {
      return error_line("CASE.toml is required; see 'kumiko --help'", kWrongRequest);
    }
    return run_command(request);
  }
  if (inspect->parsed()) return inspect_command(request);
  if (exported->parsed()) {
    if (request.output.empty()) request.output = ".";
    return export_command(request);
  }
  if (compare->parsed()) return compare_command(request);
  if (table->parsed()) return table_command(request);
  return list->parsed() ? case_list_command() : kWrongRequest;
}

}  // namespace

int error_line(const std::string& message, int code) {
  // One line, whatever a library puts into its message.
  std::string line = message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "kumiko: error: {}\n", line);
  return code;
}

}  // namespace kumiko::app

int main(int argc, char** argv) {
  using namespace kumiko::app;
  try {
    const int code = dispatch(argc, argv);
    if (std::fflush(stdout) != 0) return error_line("cannot write to stdout", kRunFailed);
    return code;
  } catch (const std::bad_alloc&) {
    return error_line("not enough memory; lower grid.base or amr.levels", kRunFailed);
  } catch (const RequestError& error) {
    return error_line(error.what(), kWrongRequest);
  } catch (const std::exception& error) {
    return error_line(error.what(), kRunFailed);
  }
}
