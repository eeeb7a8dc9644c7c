#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <kumiko/plugin/detail/plugin_table.hpp>

#include "bridge/case_bridge.hpp"
#include "bridge/parameter_tables.hpp"
#include "bridge/solver_bridge.hpp"
#include "bridge/status.hpp"

namespace kumiko::plugin::detail {

namespace {

constexpr const char* kBuiltWith = "Kumiko " KUMIKO_VERSION
#if defined(__clang__)
                                   ", clang " __clang_version__
#elif defined(__GNUC__)
                                   ", GCC " __VERSION__
#endif
    ;

/// context is the amr::Factory<T>; Made is kumiko_solver or kumiko_case.
template <class T, class Made>
kumiko_status make(const void* context, const kumiko_setting* settings, std::size_t count,
                   Made* made, kumiko_error* error) {
  return serve_fully(error, [&] {
    const auto& factory = *static_cast<const amr::Factory<T>*>(context);
    *made = give(factory.make(from_c(settings, count)));
  });
}

}  // namespace

struct PluginTable::Tables {
  /// Factories, and the C entries that point into them.
  template <class T, class Made, class Entry>
  struct Offered {
    void fill(std::vector<amr::Factory<T>> given) {
      factories = std::move(given);
      for (const amr::Factory<T>& factory : factories) {
        const ParameterTable& table = parameters.emplace_back(factory.parameters);
        entries.push_back({sizeof(Entry), factory.name.c_str(), factory.help.c_str(), table.data(),
                           table.size(), &factory, make<T, Made>});
        list.push_back(&entries.back());
      }
    }

    std::vector<amr::Factory<T>> factories;
    std::deque<ParameterTable> parameters;
    std::deque<Entry> entries;
    std::vector<const Entry*> list;
  };

  Offered<amr::Solver, kumiko_solver, kumiko_solver_entry> solvers;
  Offered<amr::Case, kumiko_case, kumiko_case_entry> cases;
  std::string failure;
  kumiko_plugin plugin{};
};

PluginTable::PluginTable(std::vector<amr::Factory<amr::Solver>> solvers,
                         std::vector<amr::Factory<amr::Case>> cases)
    : tables_(std::make_unique<Tables>()) {
  Tables& t = *tables_;
  t.solvers.fill(std::move(solvers));
  t.cases.fill(std::move(cases));
  t.plugin = {.abi_version = KUMIKO_ABI_VERSION,
              .built_with = kBuiltWith,
              .failure = nullptr,
              .size = sizeof(kumiko_plugin),
              .solvers = t.solvers.list.data(),
              .solver_count = t.solvers.list.size(),
              .cases = t.cases.list.data(),
              .case_count = t.cases.list.size()};
}

PluginTable::PluginTable(const char* failure) : tables_(std::make_unique<Tables>()) {
  tables_->failure = failure;
  tables_->plugin.abi_version = KUMIKO_ABI_VERSION;
  tables_->plugin.size = sizeof(kumiko_plugin);
  tables_->plugin.built_with = kBuiltWith;
  tables_->plugin.failure = tables_->failure.c_str();
}

PluginTable::PluginTable(PluginTable&&) noexcept = default;
PluginTable::~PluginTable() = default;

const kumiko_plugin* PluginTable::plugin() const { return &tables_->plugin; }

PluginTable plugin_table(std::initializer_list<PluginClass> classes) noexcept {
  try {
    std::vector<amr::Factory<amr::Solver>> solvers;
    std::vector<amr::Factory<amr::Case>> cases;
    for (const PluginClass& one : classes) {
      if (one.make_solver != nullptr) {
        solvers.push_back(amr::factory_of<amr::Solver>(one.describe(), one.make_solver));
      } else {
        cases.push_back(amr::factory_of<amr::Case>(one.describe(), one.make_case));
      }
    }
    return {std::move(solvers), std::move(cases)};
  } catch (const std::exception& error) {
    return PluginTable(error.what());
  } catch (...) {
    return PluginTable("describe() threw something that is not a std::exception");
  }
}

}  // namespace kumiko::plugin::detail
