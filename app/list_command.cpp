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
template <class Factories>
int list(const Factories& factories, const plugin::Registry& plugins) {
  for (const auto& factory : factories) {
    fmt::print("{:<24} {}", factory.name, factory.help);
    if (factory.file.parent_path() != plugin::shipped_plugins()) {
      fmt::print(" ({})", factory.file.string());
    }
    fmt::print("\n");
  }
  for (const plugin::BrokenPlugin& broken : plugins.broken()) {
    error_line(broken.reason, kWrongRequest);
  }
  return plugins.broken().empty() ? kDone : kWrongRequest;
}

/// A command that lists what `factories` finds among the plugins.
template <class Factories>
Action list_command(Options& options, Factories factories) {
  const auto paths = std::make_shared<std::vector<std::filesystem::path>>();
  add_plugin_path(options, *paths);
  return [paths, factories] {
    const auto plugins = find_plugins(*paths);
    return list(factories(*plugins), *plugins);
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
