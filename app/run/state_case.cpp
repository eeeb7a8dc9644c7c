#include "run/state_case.hpp"

#include <exception>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/factory.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/schema.hpp>

namespace kumiko::app {

namespace {

std::unique_ptr<amr::Case> make_case(const plugin::CaseFactory& factory,
                                     const io::ConfigSource& source) {
  io::Schema schema;
  schema.add("case", factory.parameters);
  // No solver is made, so that its keys need no plugin.
  std::vector<std::string> of_solver;
  return factory.make(
      source.without_unknown(schema, "solver", of_solver).check(schema).case_parameters());
}

}  // namespace

StateCase case_of_state(const plugin::Registry& plugins, const io::StoredState& state,
                        const std::filesystem::path& file) {
  try {
    const io::ConfigSource source =
        io::parse_config(state.checkpoint.attributes.configuration, file.string());
    const std::string& name = source.text("case.name");
    const auto* const factory = amr::find_factory(plugins.cases(), name);
    if (factory == nullptr) return {nullptr, fmt::format("there is no case '{}'", name)};
    auto made = make_case(*factory, source);
    const amr::Extent extent = made->extent();
    const amr::Extent stored = state.geometry.extent();
    if (extent.x == stored.x && extent.y == stored.y) return {std::move(made), {}};
    return {nullptr,
            fmt::format("the domain of case '{}' is {} x {} now", name, extent.x, extent.y)};
  } catch (const std::exception& error) {
    return {nullptr, error.what()};
  }
}

}  // namespace kumiko::app
