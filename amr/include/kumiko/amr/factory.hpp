// A solver or case that can be made by its name: its help, its parameters, its maker.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::amr {

/// What a solver or a case says of itself before one is made.
struct Description {
  std::string name;
  std::string help;                       ///< one line
  std::vector<ParameterSpec> parameters;  ///< names without the prefix "solver." or "case."
};

/// A name, what stands behind it, and how to make one.
template <class T>
struct Factory : Description {
  std::function<std::unique_ptr<T>(const ParameterSet&)> make;
  std::filesystem::path file = {};  ///< of the plugin that it comes from
};

/// The factory of a class that has a static describe() and is made from a ParameterSet. Parameters
/// that make() is not given have their defaults.
template <class T, class Implementation>
Factory<T> factory_of() {
  Description description = Implementation::describe();
  const auto make = [fallback = defaults(description.parameters)](const ParameterSet& given) {
    ParameterSet parameters = fallback;
    for (const auto& [name, value] : given.values()) parameters.set(name, value);
    return std::make_unique<Implementation>(parameters);
  };
  return {std::move(description), make};
}

/// The factory of a name, or nullptr.
template <class T>
const Factory<T>* find_factory(const std::vector<Factory<T>>& factories, std::string_view name) {
  for (const Factory<T>& factory : factories) {
    if (factory.name == name) return &factory;
  }
  return nullptr;
}

}  // namespace kumiko::amr
