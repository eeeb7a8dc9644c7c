#include "plugins.hpp"

#include <cstdlib>
#include <string>

#include "request.hpp"

namespace kumiko::app {

std::shared_ptr<const plugin::Registry> find_plugins(
    const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> all = {plugin::shipped_plugins()};
  const char* const variable = std::getenv("KUMIKO_PLUGIN_PATH");
  std::string rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    if (end != 0) all.emplace_back(rest.substr(0, end));
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  all.insert(all.end(), paths.begin(), paths.end());
  return std::make_shared<const plugin::Registry>(all);
}

std::shared_ptr<const plugin::Registry> usable_plugins(
    const std::vector<std::filesystem::path>& paths) {
  auto plugins = find_plugins(paths);
  if (!plugins->broken().empty()) throw RequestError(plugins->broken().front().reason);
  return plugins;
}

}  // namespace kumiko::app
