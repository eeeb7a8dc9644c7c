#include "run/shared_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/io/schema.hpp>

#include "run/progress.hpp"
#include "terminal/request.hpp"
#include "terminal/summary_file.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// The keys of a schema that are in a table, or all of them where its name is empty.
std::string keys_in(const io::Schema& schema, const std::string& table) {
  std::string text;
  for (const io::Key& key : schema.keys()) {
    if (table.empty() || key.table() == table) text += io::describe_key(key);
  }
  return text;
}

/// The keys that each of the factories declares, under its name.
template <class Factory>
std::string keys_of(const char* kind, const std::vector<Factory>& factories) {
  std::string text;
  for (const Factory& factory : factories) {
    const std::string keys = describe_parameters(kind, factory.parameters);
    if (!keys.empty()) text += fmt::format("\nKeys of {} '{}':\n{}", kind, factory.name, keys);
  }
  return text;
}

/// The keys of all that is found without further paths, or those of one table. Throws RequestError.
std::string key_reference(const std::string& table) {
  const io::Schema core;
  std::vector<std::string> tables;
  for (const io::Key& key : core.keys()) {
    std::string of_key(key.table());
    if (tables.empty() || tables.back() != of_key) tables.push_back(std::move(of_key));
  }
  if (!table.empty()) {
    refuse_if(std::ranges::count(tables, table) == 0,
              "--help-keys: there is no table '{}'; it can be {}{}", table, listed(tables),
              io::did_you_mean(table, tables));
  }
  const auto plugins = find_plugins({});
  std::string text = "Keys of CASE.toml and --set:\n" + keys_in(core, table);
  if (table.empty() || table == "solver") text += keys_of("solver", plugins->solvers());
  if (table.empty() || table == "case") text += keys_of("case", plugins->cases());
  return text;
}

/// The folders and files that the environment names.
std::vector<std::filesystem::path> paths_of_environment() {
  std::vector<std::filesystem::path> paths;
  const char* const variable = std::getenv("KUMIKO_PLUGIN_PATH");
  std::istringstream named(variable == nullptr ? "" : variable);
  for (std::string path; std::getline(named, path, ':');) {
    if (!path.empty()) paths.emplace_back(path);
  }
  return paths;
}

}  // namespace

void add_case(Options& options, CaseRequest& request, const CaseRules& rules) {
  options.add("CASE.toml", &request.config, "the configuration", {.is_required = rules.needs_file});
  options.add("-s,--set", &request.overrides,
              "KEY=VALUE: set a key of the configuration, as --set amr.levels=2",
              {.repeats = true});
  if (rules.has_workers) {
    options.add("-w,--workers", &request.workers, "number of OS threads (default: all available)",
                {.check = between(1, kMostWorkers)});
  }
  options.add_help_keys(key_reference);
  if (rules.has_results) {
    options.add("--summary", &request.summary,
                "also write the results to this JSON file; - for stdout, in place of the text",
                {.check = not_empty()});
    add_quiet(options, request.quiet);
  }
  add_plugin_path(options, request.plugin_path);
}

void add_quiet(Options& options, bool& quiet) {
  options.add("-q,--quiet", &quiet,
              "show no progress, results or names of files, only warnings and errors");
}

void add_backend(Options& options, std::string& backend) {
  options.add("-b,--backend", &backend, "how patches are shared out",
              {.check = one_of(amr::backend_names())});
}

void add_output(Options& options, OutputRequest& request, const std::string& help,
                const std::string& overwrite_help) {
  options.add("-o,--output", &request.output, help, {.check = not_empty()});
  options.add("--overwrite", &request.overwrite, overwrite_help);
}

void add_plugin_path(Options& options, std::vector<std::filesystem::path>& paths) {
  options.add("--plugin-path", &paths,
              "folder of plugins, or one plugin's file, in addition to those of KUMIKO_PLUGIN_PATH",
              {.repeats = true, .check = not_empty()});
}

std::shared_ptr<const plugin::Registry> find_plugins(
    const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> all = {plugin::shipped_plugins()};
  for (std::filesystem::path& path : paths_of_environment()) all.push_back(std::move(path));
  all.insert(all.end(), paths.begin(), paths.end());
  return std::make_shared<const plugin::Registry>(all);
}

namespace {

/// True if a path is a file, or a folder with shared objects.
bool holds_plugin(const std::filesystem::path& path) {
  std::error_code hidden;
  if (!std::filesystem::is_directory(path, hidden)) return true;
  const std::filesystem::directory_iterator files(path, hidden);
  return hidden || std::ranges::any_of(files, [](const std::filesystem::directory_entry& entry) {
           return entry.path().extension() == ".so";
         });
}

}  // namespace

std::vector<plugin::BrokenPlugin> tell_of_plugins(const plugin::Registry& plugins,
                                                  const std::vector<std::filesystem::path>& paths) {
  for (const std::string& warning : plugins.warnings()) {
    print_warning("{}", warning);
  }
  for (const std::filesystem::path& path : paths) {
    if (holds_plugin(path)) continue;
    print_warning(
        "--plugin-path {}: there is no shared object (*.so) in that folder; after a build "
        "it may be in a folder below",
        path.string());
  }
  std::vector<std::filesystem::path> asked = paths;
  asked.push_back(plugin::shipped_plugins());
  const std::vector<std::filesystem::path> lasting = paths_of_environment();
  std::vector<plugin::BrokenPlugin> found;
  for (const plugin::BrokenPlugin& broken : plugins.broken()) {
    const auto leads_to_it = [&](const std::filesystem::path& path) {
      std::error_code missing;
      return path == broken.named || std::filesystem::equivalent(path, broken.named, missing) ||
             std::filesystem::equivalent(path, broken.file, missing);
    };
    if (std::ranges::any_of(asked, leads_to_it) || !std::ranges::any_of(lasting, leads_to_it)) {
      found.push_back(broken);
    } else {
      print_warning("KUMIKO_PLUGIN_PATH names a plugin that is skipped: {}", broken.reason);
    }
  }
  return found;
}

std::string describe_parameters(const char* kind,
                                const std::vector<amr::ParameterSpec>& parameters) {
  io::Schema schema;
  const std::size_t core = schema.keys().size();
  try {
    schema.add(kind, parameters);
  } catch (const std::invalid_argument&) {
    return {};  // a run with it says what is wrong
  }
  std::string text;
  for (std::size_t at = core; at < schema.keys().size(); ++at) {
    text += io::describe_key(schema.keys()[at]);
  }
  return text;
}

void prepare_to_step(CaseRequest& request) {
  advise_on_memory_of_runs();
  hold_status_signal();
  // Before a plugin prints anything.
  if (request.summary == kStdout) prepare_summary(request.summary);
  request.plugins = find_plugins(request.plugin_path);
  const std::vector<plugin::BrokenPlugin> broken =
      tell_of_plugins(*request.plugins, request.plugin_path);
  if (!broken.empty()) throw RequestError(broken.front().reason);
}

}  // namespace kumiko::app
