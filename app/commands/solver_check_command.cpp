// kumiko solver check: tries a plugin's solvers against the conformance kit.
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/plugin/conformance.hpp>

#include "commands/check_view.hpp"
#include "options/commands.hpp"
#include "run/setup_warnings.hpp"
#include "run/shared_options.hpp"
#include "terminal/named_path.hpp"

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
  refusing<std::invalid_argument>([] { amr::instruction_set(); });
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
        factory, parameters, *plugin::find_solver("semi_lagrangian_cubic"),
        view.begin(fmt::format("solver '{}'", factory.name), plugin::heading(factory)));
    view.end(plugin::summary(report.findings));
    passed = passed && report.passed();
    if (request.json) json += (json.empty() ? "[" : ",") + plugin::to_json(report);
  }
  if (request.json) print_at_once(json + "]\n");
  return passed ? kDone : kRunFailed;
}

}  // namespace

Action solver_check_command(Options& options) {
  const auto request = std::make_shared<CheckRequest>();
  options.add("LIB.so", &request->file, "the plugin", {.is_required = true});
  options.add("--solver", &request->solver, "only the one of this name", {.check = not_empty()});
  options.add("-s,--set", &request->overrides, "solver.KEY=VALUE: a parameter of the solver",
              {.repeats = true});
  options.add("--json", &request->json, "as JSON");
  return [request] { return check_plugin(*request); };
}

}  // namespace kumiko::app
