// Something that can be made by name: a solver or a case.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::amr {

/// A name, what stands behind it, and how to make one.
template <class T>
struct Entry {
  std::string name;
  std::string help;                       ///< one line
  std::vector<ParameterSpec> parameters;  ///< names without the prefix "solver." or "case."
  std::function<std::unique_ptr<T>(const ParameterSet&)> make;
};

/// The entry of a name, or nullptr.
template <class T>
const Entry<T>* find_entry(const std::vector<Entry<T>>& entries, std::string_view name) {
  for (const Entry<T>& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace kumiko::amr
