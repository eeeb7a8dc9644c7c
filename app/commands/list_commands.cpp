// kumiko solver list and kumiko case list: names what the plugins offer.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "options/commands.hpp"
#include "run/shared_options.hpp"
#include "terminal/request.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

bool is_shipped(const std::filesystem::path& file) {
  return file.parent_path() == plugin::shipped_plugins();
}

struct ListRequest {
  std::vector<std::filesystem::path> plugin_path;
  bool json = false;
};

/// Prints the names, with the files of those that did not come with Kumiko, and broken plugins.
template <class Factories>
int list(const Factories& factories, const plugin::Registry& plugins, const ListRequest& request) {
  Json json = Json::array();
  for (const auto& factory : factories) {
    const std::string file = factory.file.string();
    if (request.json) {
      json.push_back({{"name", factory.name}, {"help", factory.help}, {"file", file}});
    } else {
      fmt::print("{:<24} {}{}\n", factory.name, factory.help,
                 is_shipped(factory.file) ? "" : fmt::format(" ({})", file));
    }
  }
  if (request.json) fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  const std::vector<plugin::BrokenPlugin> broken = tell_of_plugins(plugins, request.plugin_path);
  for (const plugin::BrokenPlugin& each : broken) error_line(each.reason, kWrongRequest);
  return broken.empty() ? kDone : kWrongRequest;
}

/// A command that lists the factories that `factories` returns for the plugins.
template <class Factories>
Action list_command(Options& options, Factories factories) {
  const auto request = std::make_shared<ListRequest>();
  add_plugin_path(options, request->plugin_path);
  options.add("--json", &request->json, "as JSON: a list of name, help and file");
  return [request, factories] {
    const auto plugins = find_plugins(request->plugin_path);
    return list(factories(*plugins), *plugins, *request);
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
