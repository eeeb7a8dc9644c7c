// kumiko solver check: tries a plugin's solvers against the conformance kit.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include <kumiko/io/nearest.hpp>
#include <kumiko/plugin/conformance.hpp>

#include "options/commands.hpp"
#include "run/progress.hpp"
#include "run/setup_warnings.hpp"
#include "run/shared_options.hpp"
#include "terminal/named_path.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

struct CheckRequest {
  std::filesystem::path file;  ///< of the plugin
  std::string solver;          ///< the only one to check, where not empty
  std::vector<std::string> overrides;
  bool json = false;
};

/// The solver's parameters: those of --set, and the defaults of all others.
amr::ParameterSet parameters_of(const plugin::SolverFactory& factory, const CheckRequest& request) {
  refuse_if(factory.parameters.empty() && !request.overrides.empty(),
            "--set {}: solver '{}' has no keys; leave the option out", request.overrides.front(),
            factory.name);
  const std::string text = fmt::format(
      "[case]\nname = \"none\"\n[solver]\nname = \"{}\"\n[time]\nsteps = 1\n", factory.name);
  try {
    io::Schema schema;
    schema.add("solver", factory.parameters);
    const io::ConfigSource source =
        io::parse_config(text, request.file.string(), request.overrides);
    const io::Config config = source.check(schema);
    warn_of(source);
    return config.solver_parameters();
  } catch (const io::ConfigError& error) {
    throw RequestError(error.what());
  } catch (const std::invalid_argument& error) {
    throw RequestError("'{}': {}", request.file.string(), error.what());
  }
}

/// The solvers of the file, or the one that is named.
std::vector<plugin::SolverFactory> wanted(const CheckRequest& request,
                                          const plugin::Registry& found) {
  if (!found.broken().empty()) throw RequestError(found.broken().front().reason);
  std::vector<plugin::SolverFactory> factories = found.solvers();
  std::vector<std::string> names;
  for (const plugin::SolverFactory& factory : factories) names.push_back(factory.name);
  if (!request.solver.empty()) {
    std::erase_if(factories, [&](const auto& factory) { return factory.name != request.solver; });
  }
  if (!factories.empty()) return factories;
  throw RequestError(
      request.solver.empty()
          ? fmt::format("'{}' offers no solver, and only solvers can be checked; name the file of "
                        "a solver plugin",
                        request.file.string())
          : fmt::format("'{}' offers no solver '{}'; leave --solver out to check all{}",
                        request.file.string(), request.solver,
                        io::did_you_mean(request.solver, names)));
}

/// Writes to stdout at once. The end of main() reports a text that could not be written.
void print_at_once(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// Shows the checks: prints a line when one ends, on a terminal also the running one, which each
/// SIGUSR2 prints on stderr. Make it after hold_status_signal().
class CheckView {
 public:
  explicit CheckView(bool json) : json_(json), signal_([this](bool) { answer(); }) {}

  /// Begins the checks of a solver. \return their observer, which refers to this
  plugin::CheckObserver begin(const plugin::SolverFactory& factory) {
    heading_ = plugin::heading(factory);
    return {[this, name = factory.name](const char* check) { begins(name, check); },
            [this](const plugin::Finding& finding) { ends(finding); }};
  }

  void end(const plugin::ConformanceReport& report) const {
    if (!json_) print_at_once(plugin::summary(report));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void begins(const std::string& solver, const char* check) {
    {
      const std::lock_guard lock(mutex_);
      solver_ = solver;
      check_ = check;
      since_ = Clock::now();
    }
    // Printed afterwards, so that a signal gets an answer as soon as there is a line.
    if (!json_) print_at_once(std::exchange(heading_, {}));
    if (shows_running_) print_to_stderr("  running  {} ...", check);
  }

  void ends(const plugin::Finding& finding) const {
    if (shows_running_) print_to_stderr("{}", terminal_.erase_line());
    if (!json_) print_at_once(plugin::to_text(finding));
  }

  /// Answers a SIGUSR2.
  void answer() {
    const std::lock_guard lock(mutex_);
    if (check_ == nullptr) return;
    const std::chrono::duration<double> time = Clock::now() - since_;
    print_to_stderr("{}kumiko: solver '{}', check {}: for {:.1f} s\n", shows_running_ ? "\n" : "",
                    solver_, check_, time.count());
  }

  const bool json_;
  const Terminal terminal_ = Terminal::of_stderr();
  const bool shows_running_ =
      terminal_.exists && terminal_.moves && (json_ || ::isatty(STDOUT_FILENO) != 0);

  std::string heading_;  ///< empty once it is printed

  std::mutex mutex_;  ///< guards the members below
  std::string solver_;
  const char* check_ = nullptr;
  Clock::time_point since_;

  StatusSignal signal_;
};

/// ", such as 'FILE'", of a shared object in a folder or in its build; empty if there is none.
std::string example_of_plugin(const std::filesystem::path& folder) {
  std::error_code hidden;
  for (const std::filesystem::path& place : {folder, folder / "build"}) {
    for (const auto& entry : std::filesystem::directory_iterator(place, hidden)) {
      if (entry.path().extension() != ".so") continue;
      return fmt::format(", such as '{}'", entry.path().string());
    }
  }
  return {};
}

int check_plugin(const CheckRequest& request) {
  require_file(request.file, "name a plugin's file" + example_of_plugin(request.file));
  for (const std::string& word : request.overrides) {
    refuse_if(!word.starts_with("solver.") || word.starts_with("solver.name="),
              "--set {}: only the solver's own keys can be set; write solver.KEY=VALUE, and select "
              "the solver with --solver",
              word);
  }
  hold_status_signal();  // before the plugin may start threads
  const plugin::Registry found(std::span(&request.file, 1));
  const std::vector<plugin::SolverFactory> factories = wanted(request, found);
  CheckView view(request.json);
  bool passed = found.warnings().empty();
  for (const std::string& warning : found.warnings()) error_line(warning, kRunFailed);
  std::string json;
  for (const plugin::SolverFactory& factory : factories) {
    const amr::ParameterSet parameters = parameters_of(factory, request);
    const plugin::ConformanceReport report = plugin::check_solver(
        factory, parameters, *plugin::find_solver("semi_lagrangian_cubic"), view.begin(factory));
    view.end(report);
    passed = passed && report.passed();
    if (request.json) json += (json.empty() ? "[" : ",") + plugin::to_json(report);
  }
  if (request.json) print_at_once(json + "]\n");
  return passed ? kDone : kRunFailed;
}

}  // namespace

Action check_command(Options& options) {
  const auto request = std::make_shared<CheckRequest>();
  options.add("LIB.so", &request->file, "the plugin", {.is_required = true});
  options.add("--solver", &request->solver, "only the one of this name", {.check = not_empty()});
  options.add("-s,--set", &request->overrides, "solver.KEY=VALUE: a parameter of the solver",
              {.repeats = true});
  options.add("--json", &request->json, "as JSON");
  return [request] { return check_plugin(*request); };
}

}  // namespace kumiko::app
