// The kumiko command: its commands, and what goes wrong as one line and an exit code.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/io/checkpoint_error.hpp>
#include <kumiko/io/one_line.hpp>
#include <kumiko/io/schema.hpp>
#include <kumiko/runtime/fault.hpp>

#include "options/commands.hpp"
#include "run/ranks.hpp"
#include "terminal/request.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {
namespace {

/// The commands as the help lists them.
constexpr Command kCommands[] = {
    {"run", "run a case",
     "kumiko run cases/zalesak/zalesak.toml --set amr.levels=2 --output out/two", run_command,
     true},
    {"table",
     "make the runs that CASE.table next to CASE.toml describes, or the usual ones, and print "
     "tables of their results and of published values",
     "kumiko table cases/zalesak/thesis.toml --summary table.json", table_command},
    {"compare",
     "run solvers at several resolutions, or one with several values of any key: errors, costs and "
     "published values in tables and a work-precision plot",
     "kumiko compare cases/gaussian/gaussian.toml --solvers thinc,upwind1 --resolutions 32,64",
     compare_command},
    {"scaling",
     "run a case on several backends with several numbers of workers: speed-up and imbalance in "
     "a table and charts",
     "kumiko scaling cases/zalesak/zalesak.toml --workers 1,2 --backends threads,pthread",
     scaling_command},
    {"simulate",
     "predict from a trace what the run would take on other numbers of workers, by dataflow, level "
     "by level, in static strips and by OpenMP; a model of schedules, not of memory",
     "kumiko simulate out/zalesak --workers 1..64", simulate_command},
    {"inspect",
     "say what a checkpoint or a state holds, and whether it, or a run's folder, is whole",
     "kumiko inspect out/zalesak", inspect_command},
    {"export", "put checkpoints, states or traces into another format",
     "kumiko export out/zalesak --format png --output frames", export_command},
    {"report", "make one HTML page of a finished run, or of several side by side",
     "kumiko report out/zalesak out/strips --output both.html", report_command},
    {"search", "searches that processes share over TCP", "", nullptr},
    {"search serve", "run a search that other processes may join",
     "kumiko search serve queens 14 --secret secret.txt --listen 127.0.0.1:7000",
     serve_search_command},
    {"search join", "help with a search until it ends",
     "kumiko search join 127.0.0.1:7000 --secret secret.txt", join_search_command},
    {"solver", "the solvers", "", nullptr},
    {"solver list", "name the solvers found", "kumiko solver list --plugin-path build",
     solver_list_command},
    {"solver show", "say what a solver solves, needs and takes", "kumiko solver show thinc",
     solver_show_command},
    {"solver new", "write a folder with a solver to begin with", "kumiko solver new my_solver",
     new_solver_command},
    {"solver check",
     "test a plugin's solvers against what they declare and what the engine relies on",
     "kumiko solver check my_solver/build/my_solver.so", solver_check_command},
    {"case", "the cases", "", nullptr},
    {"case list", "name the cases found", "kumiko case list", case_list_command},
    {"case show", "say what a case is posed for, its domain and its keys",
     "kumiko case show channel", case_show_command},
    {"case new", "write a folder with a case to begin with", "kumiko case new my_case",
     new_case_command},
    {"case check", "check that what a case says of flow, values and solution agrees",
     "kumiko case check my_case/my_case.toml --plugin-path my_case/build", case_check_command},
};

/// True if main() has done its work, so that exit() is its own.
std::atomic<bool> main_returns{false};

/// True if the command computes runs, whose keys determine its memory.
std::atomic<bool> makes_runs{false};

/// Reports that a plugin, or a library, has called exit(), and ends the process as a failed run,
/// whatever status the caller gave: the command is not complete.
[[noreturn]] void end_by_exit() {
  static std::atomic<bool> is_told{false};
  while (is_told.exchange(true)) pause();  // another thread reports it, and ends the process
  const std::string notes = runtime::fault_notes();
  const std::string place = notes.substr(0, notes.find('\n'));
  // No other rank knows of a place in this one.
  if (!place.empty()) set_silent(false);
  error_line(place.empty() ? "exit() was called before the command had done its work, by a plugin "
                             "or a library; a plugin must throw an exception instead"
                           : fmt::format("a plugin called exit() in {}; it must throw an exception "
                                         "instead",
                                         place),
             kRunFailed);
  print_to_stderr("{}", runtime::fault_advice());
  std::_Exit(kRunFailed);
}

/// Opens /dev/null for those of stdin, stdout and stderr that the process was started without, so
/// that no file of its own gets their numbers: what is printed would go into it.
void keep_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(file, F_GETFD) != -1) continue;
    // open() takes the lowest free number, which is this one. Its use remains an error.
    [[maybe_unused]] const int opened =
        open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// main() but for its end.
int command(int argc, char** argv) {
  try {
    refusing<std::invalid_argument>([] { runtime::report_faults(""); });
    // One rank reports command-line errors.
    set_silent(!cluster::leads_by_environment());
    const int code = run_command_line(kCommands, argc, argv);
    // The stream remembers what an earlier flush could not write.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return error_line(kStdoutFault, kRunFailed);
    return code;
  } catch (const std::exception&) {
    const Failure failure = failure_now();
    error_line(failure.line, failure.code);
    Ranks::refuse_with_others(failure.line);
    return failure.code;
  }
}

}  // namespace

std::string remedy_of(const std::exception& error) {
  const bool is_damaged = dynamic_cast<const io::DamagedCheckpoint*>(&error) != nullptr &&
                          dynamic_cast<const io::NotACheckpoint*>(&error) == nullptr;
  return is_damaged ? "; use another checkpoint or state of the run, or run the case again" : "";
}

void advise_on_memory_of_runs() { makes_runs = true; }

Failure failure_now() {
  try {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    return {fmt::format("cannot use '{}': {}", error.path1().string(), error.code().message())};
  } catch (const std::bad_alloc& error) {
    const std::string_view what = error.what();
    const bool has_words =
        what != std::bad_alloc().what() && what != std::bad_array_new_length().what();
    return {fmt::format("{}; {}", has_words ? what : "not enough memory",
                        makes_runs ? "lower grid.base or amr.levels"
                                   : "raise the limit on it (ulimit -v), or use a host with more")};
  } catch (const RequestError& error) {
    return {error.what(), kWrongRequest};
  } catch (const std::system_error& error) {
    const std::string_view what = error.what();
    // As std::thread says it.
    if (error.code() == std::errc::resource_unavailable_try_again &&
        what == error.code().message()) {
      return {
          "the system refuses one more OS thread; raise the limit on processes (ulimit -u) or on "
          "memory (ulimit -v)"};
    }
    // The formatting library knows of stdout only that it is a file.
    return {what.starts_with("cannot write to file")
                ? fmt::format("cannot write to stdout: {}", error.code().message())
                : std::string(what)};
  } catch (const std::exception& error) {
    return {error.what() + remedy_of(error)};
  }
}

int error_line(const std::string& message, int code) {
  print_to_stderr("kumiko: error: {}\n", io::one_line(io::with_keys(message)));
  return code;
}

}  // namespace kumiko::app

/// Replaces the C library's exit() for plugins and libraries, because only one thread may call
/// that, and it destroys what other threads still use. The end of main() does not come here.
extern "C" [[gnu::visibility("default")]] void exit(int status) noexcept {
  if (!kumiko::app::main_returns) kumiko::app::end_by_exit();
  reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "exit"))(status);
  std::_Exit(status);
}

int main(int argc, char** argv) {
  using namespace kumiko::app;
  // Writing a file beyond the limit (ulimit -f) is an error to report, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  keep_standard_files();
  kumiko::amr::use_all_places();
  const int code = command(argc, argv);
  main_returns = true;
  return code;
}
