#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include "commands.hpp"
#include "plugins.hpp"
#include "request.hpp"
#include "shared_options.hpp"

namespace kumiko::app {

namespace {

/// Names what there is, with the file of what did not come with Kumiko, and what is broken.
template <class Entries>
int list(const Entries& entries, const plugin::Registry& plugins) {
  for (const auto& entry : entries) {
    fmt::print("{:<24} {}", entry.name, entry.help);
    if (entry.file.parent_path() != plugin::shipped_plugins()) {
      fmt::print(" ({})", entry.file.string());
    }
    fmt::print("\n");
  }
  for (const plugin::BrokenPlugin& broken : plugins.broken()) {
    error_line(broken.reason, kWrongRequest);
  }
  return plugins.broken().empty() ? kDone : kWrongRequest;
}

/// A command that lists what `entries` finds among the plugins.
template <class Entries>
Action list_command(Options& options, Entries entries) {
  const auto paths = std::make_shared<std::vector<std::filesystem::path>>();
  add_plugin_path(options, *paths);
  return [paths, entries] {
    const auto plugins = find_plugins(*paths);
    return list(entries(*plugins), *plugins);
  };
}

}  // namespace

Action solver_list_command(Options& options) {
  return list_command(options, std::mem_fn(&plugin::Registry::solvers));
}

Action case_list_command(Options& options) {
  return list_command(options, std::mem_fn(&plugin::Registry::cases));
}

}  // namespace kumiko::app
