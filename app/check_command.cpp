#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/config.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/plugin/conformance.hpp>

#include "commands.hpp"
#include "plugins.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

struct CheckRequest {
  std::filesystem::path file;  ///< of the plugin
  std::string solver;          ///< the only one to check, where not empty
  std::vector<std::string> overrides;
  bool json = false;
};

/// The solver's parameters as --set gives them, the others as it declares them.
amr::ParameterSet parameters_of(const plugin::SolverFactory& factory, const CheckRequest& request) {
  const std::string text = fmt::format(
      "[case]\nname = \"none\"\n[solver]\nname = \"{}\"\n[time]\nsteps = 1\n", factory.name);
  try {
    io::Schema schema;
    schema.add_solver(factory.parameters);
    return io::parse_config(text, request.file.string(), request.overrides)
        .check(schema)
        .solver_parameters();
  } catch (const io::ConfigError& error) {
    throw RequestError(error.what());
  } catch (const std::invalid_argument& error) {
    throw RequestError("'{}': {}", request.file.string(), error.what());
  }
}

/// The solvers of the file, or the one that is named.
std::vector<plugin::SolverFactory> wanted(const CheckRequest& request) {
  const plugin::Registry found(std::span(&request.file, 1));
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
          ? fmt::format("'{}' offers no solver; only solvers are checked", request.file.string())
          : fmt::format("'{}' offers no solver '{}'; leave --solver out to check all{}",
                        request.file.string(), request.solver,
                        io::did_you_mean(request.solver, names)));
}

int check_plugin(const CheckRequest& request) {
  refuse_if(std::filesystem::is_directory(request.file), "'{}' is a folder; name a plugin's file",
            request.file.string());
  for (const std::string& word : request.overrides) {
    refuse_if(
        !word.starts_with("solver.") || word.starts_with("solver.name="),
        "--set {}: a solver is checked, not a run; give solver.KEY=VALUE, and its name by --solver",
        word);
  }
  bool passed = true;
  std::string json;
  for (const plugin::SolverFactory& factory : wanted(request)) {
    const plugin::ConformanceReport report = plugin::check_solver(
        factory, parameters_of(factory, request), *plugin::find_solver("semi_lagrangian_cubic"));
    passed = passed && report.passed();
    if (request.json) {
      json += (json.empty() ? "[" : ",") + plugin::to_json(report);
    } else {
      fmt::print("{}", plugin::to_text(report));
      std::fflush(stdout);
    }
  }
  if (request.json) fmt::print("{}]\n", json);
  return passed ? kDone : kRunFailed;
}

}  // namespace

Action check_command(Options& options) {
  const auto request = std::make_shared<CheckRequest>();
  options.add("LIB.so", &request->file, "the plugin", {.is_required = true});
  options.add("--solver", &request->solver, "only the one of this name", {.check = not_empty()});
  options.add("--set", &request->overrides, "solver.KEY=VALUE: a parameter of the solver",
              {.repeats = true});
  options.add("--json", &request->json, "as JSON");
  return [request] { return check_plugin(*request); };
}

}  // namespace kumiko::app
