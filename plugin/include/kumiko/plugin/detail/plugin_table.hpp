// Turns a plugin's classes into the tables of the C interface; for KUMIKO_PLUGIN only.
#pragma once

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/factory.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/plugin_abi.h>

namespace kumiko::plugin::detail {

/// What a shared object offers, as C tables. Made once, never freed before the program's end.
class PluginTable {
 public:
  PluginTable(std::vector<amr::Factory<amr::Solver>> solvers,
              std::vector<amr::Factory<amr::Case>> cases);
  /// The table of a plugin that cannot say what it offers.
  explicit PluginTable(const char* failure);
  PluginTable(PluginTable&&) noexcept;
  ~PluginTable();

  const kumiko_plugin* plugin() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

/// One class of a plugin: what it is called and how it is made, either a solver or a case. Calls
/// alone, so that a plugin's own code holds little beside the class.
struct PluginClass {
  amr::Description (*describe)();
  amr::Maker<amr::Solver> make_solver = nullptr;
  amr::Maker<amr::Case> make_case = nullptr;
};

template <class T>
constexpr PluginClass plugin_class() {
  static_assert(std::is_base_of_v<amr::Solver, T> || std::is_base_of_v<amr::Case, T>,
                "a plugin's class is derived from kumiko::amr::Solver or kumiko::amr::Case");
  if constexpr (std::is_base_of_v<amr::Solver, T>) {
    return {.describe = T::describe, .make_solver = amr::make_implementation<amr::Solver, T>};
  } else {
    return {.describe = T::describe, .make_case = amr::make_implementation<amr::Case, T>};
  }
}

/// The table of these classes, or of the failure if a describe() throws.
PluginTable plugin_table(std::initializer_list<PluginClass> classes) noexcept;

template <class... Classes>
PluginTable plugin_table() noexcept {
  return plugin_table({plugin_class<Classes>()...});
}

}  // namespace kumiko::plugin::detail
