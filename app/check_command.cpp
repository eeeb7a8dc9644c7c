#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/config.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/plugin/conformance.hpp>

#include "plugins.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

/// The solver's parameters as --set gives them, the others as it declares them.
amr::ParameterSet parameters_of(const plugin::SolverEntry& entry, const Request& request) {
  const std::string text = fmt::format(
      "[case]\nname = \"none\"\n[solver]\nname = \"{}\"\n[time]\nsteps = 1\n", entry.name);
  try {
    io::Schema schema;
    schema.add_solver(entry.parameters);
    return io::parse_config(text, request.file.string(), request.overrides)
        .check(schema)
        .solver_parameters();
  } catch (const io::ConfigError& error) {
    throw RequestError(error.what());
  } catch (const std::invalid_argument& error) {
    throw RequestError(fmt::format("'{}': {}", request.file.string(), error.what()));
  }
}

/// The solvers of the file, or the one that is named.
std::vector<plugin::SolverEntry> wanted(const Request& request) {
  const plugin::Registry found(std::span(&request.file, 1));
  if (!found.broken().empty()) throw RequestError(found.broken().front().reason);
  std::vector<plugin::SolverEntry> entries = found.solvers();
  std::vector<std::string> names;
  for (const plugin::SolverEntry& entry : entries) names.push_back(entry.name);
  if (!request.solver.empty()) {
    std::erase_if(entries, [&](const auto& entry) { return entry.name != request.solver; });
  }
  if (!entries.empty()) return entries;
  throw RequestError(
      request.solver.empty()
          ? fmt::format("'{}' offers no solver; only solvers are checked", request.file.string())
          : fmt::format("'{}' offers no solver '{}'; leave --solver out to check all{}",
                        request.file.string(), request.solver,
                        io::did_you_mean(request.solver, names)));
}

}  // namespace

int check_command(const Request& request) {
  if (std::filesystem::is_directory(request.file)) {
    throw RequestError(
        fmt::format("'{}' is a folder; name a plugin's file", request.file.string()));
  }
  bool passed = true;
  std::string json;
  for (const plugin::SolverEntry& entry : wanted(request)) {
    const plugin::ConformanceReport report = plugin::check_solver(
        entry, parameters_of(entry, request), *plugin::find_solver("semi_lagrangian_cubic"));
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

}  // namespace kumiko::app
