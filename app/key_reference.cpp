#include "key_reference.hpp"

#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include <kumiko/io/schema.hpp>

#include "plugins.hpp"

namespace kumiko::app {

namespace {

/// The keys that each of the factories declares, under its name.
template <class Factory, class Add>
std::string keys_of(const char* kind, const std::vector<Factory>& factories, Add add) {
  std::string text;
  for (const Factory& factory : factories) {
    if (factory.parameters.empty()) continue;
    io::Schema schema;
    const std::size_t core = schema.keys().size();
    try {
      add(schema, factory.parameters);
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

}  // namespace

std::string key_reference() {
  const auto plugins = find_plugins({});
  return "Keys of CASE.toml and --set:\n" + io::describe_keys(io::Schema()) +
         keys_of("solver", plugins->solvers(),
                 [](io::Schema& schema, const auto& keys) { schema.add_solver(keys); }) +
         keys_of("case", plugins->cases(),
                 [](io::Schema& schema, const auto& keys) { schema.add_case(keys); });
}

}  // namespace kumiko::app
