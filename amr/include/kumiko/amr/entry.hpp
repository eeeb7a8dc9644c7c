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
struct Entry {
  std::string name;
  std::string help;                       ///< one line
  std::vector<ParameterSpec> parameters;  ///< names without the prefix "solver." or "case."
  std::function<std::unique_ptr<T>(const ParameterSet&)> make;
  std::filesystem::path file = {};  ///< of the plugin that it comes from
};

/// The entry of a class that has a static describe() and is made from a ParameterSet. Parameters
/// that make() is not given have their defaults.
template <class T, class Implementation>
Entry<T> make_entry() {
  Description description = Implementation::describe();
  const auto make = [fallback = defaults(description.parameters)](const ParameterSet& given) {
    ParameterSet parameters = fallback;
    for (const auto& [name, value] : given.values()) parameters.set(name, value);
    return std::make_unique<Implementation>(parameters);
  };
  return {std::move(description.name), std::move(description.help),
          std::move(description.parameters), make};
}

/// The entry of a name, or nullptr.
template <class T>
const Entry<T>* find_entry(const std::vector<Entry<T>>& entries, std::string_view name) {
  for (const Entry<T>& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace kumiko::amr
