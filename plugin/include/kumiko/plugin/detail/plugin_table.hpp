// Turns a plugin's classes into the tables of the C interface; for KUMIKO_PLUGIN only.
#pragma once

#include <exception>
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

template <class T>
void add_factory(std::vector<amr::Factory<amr::Solver>>& solvers,
                 std::vector<amr::Factory<amr::Case>>& cases) {
  static_assert(std::is_base_of_v<amr::Solver, T> || std::is_base_of_v<amr::Case, T>,
                "a plugin's class is derived from kumiko::amr::Solver or kumiko::amr::Case");
  if constexpr (std::is_base_of_v<amr::Solver, T>) {
    solvers.push_back(amr::factory_of<amr::Solver, T>());
  } else {
    cases.push_back(amr::factory_of<amr::Case, T>());
  }
}

template <class... Classes>
PluginTable plugin_table() noexcept {
  try {
    std::vector<amr::Factory<amr::Solver>> solvers;
    std::vector<amr::Factory<amr::Case>> cases;
    (add_factory<Classes>(solvers, cases), ...);
    return {std::move(solvers), std::move(cases)};
  } catch (const std::exception& error) {
    return PluginTable(error.what());
  } catch (...) {
    return PluginTable("describe() threw something that is not a std::exception");
  }
}

}  // namespace kumiko::plugin::detail
