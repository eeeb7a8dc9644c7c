// A solver or case that can be made by its name: help, parameters, and a function that makes it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::amr {

class Case;
class Solver;

/// Description of a solver or a case, without making one.
struct Description {
  std::string name;
  std::string help;                       ///< one line
  std::vector<ParameterSpec> parameters;  ///< names without the prefix "solver." or "case."
};

/// The description of a solver or a case, and a function that makes one.
template <class T>
struct Factory : Description {
  std::function<std::unique_ptr<T>(const ParameterSet&)> make;
  std::filesystem::path file = {};  ///< file of the plugin that it comes from
};

/// Makes one from all its parameters.
template <class T>
using Maker = std::unique_ptr<T> (*)(const ParameterSet&);

/// The factory with this description and this function. Parameters that are not passed to
/// Factory::make have their defaults.
template <class T>
Factory<T> factory_of(Description description, Maker<T> make);
extern template Factory<Case> factory_of(Description, Maker<Case>);
extern template Factory<Solver> factory_of(Description, Maker<Solver>);

/// The function that makes an object of a class from a ParameterSet.
template <class T, class Implementation>
std::unique_ptr<T> make_implementation(const ParameterSet& parameters) {
  return std::make_unique<Implementation>(parameters);
}

/// The factory of a class that has a static describe() and is made from a ParameterSet.
template <class T, class Implementation>
Factory<T> factory_of() {
  return factory_of<T>(Implementation::describe(), make_implementation<T, Implementation>);
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
