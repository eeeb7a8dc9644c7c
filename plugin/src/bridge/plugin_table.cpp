#include <deque>
#include <string>
#include <utility>

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
  std::vector<amr::Factory<amr::Solver>> solvers;
  std::vector<amr::Factory<amr::Case>> cases;
  std::deque<ParameterTable> parameters;
  std::deque<kumiko_solver_entry> c_solvers;
  std::deque<kumiko_case_entry> c_cases;
  std::vector<const kumiko_solver_entry*> solver_list;
  std::vector<const kumiko_case_entry*> case_list;
  std::string failure;
  kumiko_plugin plugin{};
};

PluginTable::PluginTable(std::vector<amr::Factory<amr::Solver>> solvers,
                         std::vector<amr::Factory<amr::Case>> cases)
    : tables_(std::make_unique<Tables>()) {
  Tables& t = *tables_;
  t.solvers = std::move(solvers);
  t.cases = std::move(cases);
  for (const auto& factory : t.solvers) {
    const ParameterTable& parameters = t.parameters.emplace_back(factory.parameters);
    t.c_solvers.push_back({sizeof(kumiko_solver_entry), factory.name.c_str(), factory.help.c_str(),
                           parameters.data(), parameters.size(), &factory,
                           make<amr::Solver, kumiko_solver>});
    t.solver_list.push_back(&t.c_solvers.back());
  }
  for (const auto& factory : t.cases) {
    const ParameterTable& parameters = t.parameters.emplace_back(factory.parameters);
    t.c_cases.push_back({sizeof(kumiko_case_entry), factory.name.c_str(), factory.help.c_str(),
                         parameters.data(), parameters.size(), &factory,
                         make<amr::Case, kumiko_case>});
    t.case_list.push_back(&t.c_cases.back());
  }
  t.plugin = {.abi_version = KUMIKO_ABI_VERSION,
              .built_with = kBuiltWith,
              .failure = nullptr,
              .size = sizeof(kumiko_plugin),
              .solvers = t.solver_list.data(),
              .solver_count = t.solver_list.size(),
              .cases = t.case_list.data(),
              .case_count = t.case_list.size()};
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

}  // namespace kumiko::plugin::detail
