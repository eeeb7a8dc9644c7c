#include "shared_options.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/io/schema.hpp>

#include "progress.hpp"
#include "terminal.hpp"

namespace kumiko::app {

namespace {

/// The keys that each of the factories declares, under its name.
template <class Factory>
std::string keys_of(const char* kind, const std::vector<Factory>& factories) {
  std::string text;
  for (const Factory& factory : factories) {
    if (factory.parameters.empty()) continue;
    io::Schema schema;
    const std::size_t core = schema.keys().size();
    try {
      schema.add(kind, factory.parameters);
    } catch (const std::invalid_argument&) {
      continue;  // a run with it says what is wrong
    }
    text += fmt::format("\nKeys of {} '{}':\n", kind, factory.name);
    for (std::size_t at = core; at < schema.keys().size(); ++at) {
      text += io::describe_key(schema.keys()[at]);
    }
  }
  return text;
}

/// The keys of all that is found without further paths.
std::string key_reference() {
  const auto plugins = find_plugins({});
  return "Keys of CASE.toml and --set:\n" + io::describe_keys(io::Schema()) +
         keys_of("solver", plugins->solvers()) + keys_of("case", plugins->cases());
}

}  // namespace

void add_case(Options& options, CaseRequest& request, const CaseRules& rules) {
  options.add("CASE.toml", &request.config, "the configuration", {.is_required = rules.needs_file});
  options.add("--set", &request.overrides, "KEY=VALUE: change a key of the configuration",
              {.repeats = true});
  if (rules.has_workers) {
    options.add("--workers", &request.workers, "OS threads that work (default: all available)",
                {.check = between(1, kMostWorkers)});
  }
  options.set_footer(key_reference);
  options.add("--summary", &request.summary, "write the figures to this JSON file too");
  options.add("--quiet", &request.quiet, rules.quiet);
  add_plugin_path(options, request.plugin_path);
}

void add_backend(Options& options, std::string& backend) {
  options.add("--backend", &backend, "how patches are shared out",
              {.check = one_of(amr::backend_names())});
}

void add_repetitions(Options& options, int& repetitions, const std::string& help) {
  options.add("--repetitions", &repetitions, help, {.check = between(1, 1000)});
}

void add_output(Options& options, OutputRequest& request, const std::string& help,
                const std::string& overwrite_help) {
  options.add("--output", &request.output, help, {.check = not_empty()});
  options.add("--overwrite", &request.overwrite, overwrite_help);
}

void add_plugin_path(Options& options, std::vector<std::filesystem::path>& paths) {
  options.add("--plugin-path", &paths,
              "folder of plugins, or one plugin's file; beside those of KUMIKO_PLUGIN_PATH",
              {.repeats = true, .check = not_empty()});
}

std::shared_ptr<const plugin::Registry> find_plugins(
    const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> all = {plugin::shipped_plugins()};
  const char* const variable = std::getenv("KUMIKO_PLUGIN_PATH");
  std::istringstream named(variable == nullptr ? "" : variable);
  for (std::string path; std::getline(named, path, ':');) {
    if (!path.empty()) all.emplace_back(path);
  }
  all.insert(all.end(), paths.begin(), paths.end());
  return std::make_shared<const plugin::Registry>(all);
}

void prepare_to_step(CaseRequest& request) {
  hold_status_signal();
  request.plugins = find_plugins(request.plugin_path);
  const auto& broken = request.plugins->broken();
  if (!broken.empty()) throw RequestError(broken.front().reason);
  for (const std::string& warning : request.plugins->warnings()) {
    print_to_stderr("kumiko: warning: {}\n", warning);
  }
}

}  // namespace kumiko::app
