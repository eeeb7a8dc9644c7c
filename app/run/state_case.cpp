#include "run/state_case.hpp"

#include <exception>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/factory.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/schema.hpp>

namespace kumiko::app {

namespace {

amr::ParameterSet parameters_of(const plugin::CaseFactory& factory,
                                const io::ConfigSource& source) {
  io::Schema schema;
  schema.add("case", factory.parameters);
  // No solver is made, so that its keys need no plugin.
  std::vector<std::string> of_solver;
  return source.without_unknown(schema, "solver", of_solver).check(schema).case_parameters();
}

}  // namespace

StateCase case_of_state(const plugin::Registry& plugins, const io::Checkpoint& state,
                        const std::filesystem::path& file) {
  StateCase result;
  try {
    const io::ConfigSource source = io::parse_config(state.attributes.configuration, file.string());
    result.name = source.text("case.name");
    const auto* const factory = amr::find_factory(plugins.cases(), result.name);
    if (factory == nullptr) {
      result.lack = fmt::format("there is no case '{}'", result.name);
      return result;
    }
    result.parameters = parameters_of(*factory, source);
    auto made = factory->make(result.parameters);
    const amr::Extent extent = made->extent();
    const amr::Extent stored = state.geometry->extent();
    if (extent.x == stored.x && extent.y == stored.y) {
      result.made = std::move(made);
    } else {
      result.lack =
          fmt::format("the domain of case '{}' is {} x {} now", result.name, extent.x, extent.y);
    }
  } catch (const std::exception& error) {
    result.lack = error.what();
  }
  return result;
}

}  // namespace kumiko::app
