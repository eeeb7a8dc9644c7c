// The kumiko command: its commands, and what goes wrong as one line and an exit code.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string>

#include <fmt/core.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/io/schema.hpp>

#include "commands.hpp"
#include "ranks.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace kumiko::app {
namespace {

/// The commands as the help lists them.
constexpr Command kCommands[] = {
    {"run", "run a case", run_command, true},
    {"table", "print the thesis's tables: every backend, AMR and not", table_command},
    {"compare",
     "run solvers at several resolutions, or one with several values of any key: errors, costs and "
     "published values in tables and a work-precision plot",
     compare_command},
    {"scaling",
     "run a case on several backends with several numbers of workers: speed-up and load-balance "
     "efficiency in a table and charts",
     scaling_command},
    {"simulate",
     "predict from a trace what the run would take on other numbers of workers, by dataflow, level "
     "by level, in static strips and by OpenMP; a model of schedules, not of memory",
     simulate_command},
    {"inspect",
     "say what a checkpoint or a state holds, and whether it, or a run's folder, is whole",
     inspect_command},
    {"export", "put checkpoints, states or traces into another format", export_command},
    {"report", "make one HTML page of a finished run, or of several side by side", report_command},
    {"search", "searches that processes share over TCP", nullptr},
    {"search serve", "search, with the help of whoever joins", serve_search_command},
    {"search join", "help with a search until it ends", join_search_command},
    {"solver", "the solvers", nullptr},
    {"solver list", "name the solvers found", solver_list_command},
    {"solver new", "write a folder with a solver to begin with", new_solver_command},
    {"solver check",
     "hold a plugin's solvers against what they declare and what the engine relies on",
     check_command},
    {"case", "the cases", nullptr},
    {"case list", "name the cases found", case_list_command},
    {"case new", "write a folder with a case to begin with", new_case_command},
};

}  // namespace

Failure failure_now() {
  try {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    return {fmt::format("cannot use '{}': {}", error.path1().string(), error.code().message())};
  } catch (const std::bad_alloc&) {
    return {"not enough memory; lower grid.base or amr.levels"};
  } catch (const RequestError& error) {
    return {error.what(), kWrongRequest};
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

int error_line(const std::string& message, int code) {
  // One line, whatever a library puts into its message.
  std::string line = io::with_keys(message);
  std::ranges::replace(line, '\n', ' ');
  print_to_stderr("kumiko: error: {}\n", line);
  return code;
}

}  // namespace kumiko::app

int main(int argc, char** argv) {
  using namespace kumiko::app;
  // A file that grows beyond the limit (ulimit -f) is an error, which is told, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  kumiko::amr::use_all_places();
  try {
    // What is wrong with a command line one rank can tell.
    set_silent(!kumiko::cluster::leads_by_environment());
    const int code = run_command_line(kCommands, argc, argv);
    if (std::fflush(stdout) != 0) return error_line("cannot write to stdout", kRunFailed);
    return code;
  } catch (const std::exception&) {
    const Failure failure = failure_now();
    error_line(failure.line, failure.code);
    Ranks::refuse_with_others(failure.line);
    return failure.code;
  }
}
