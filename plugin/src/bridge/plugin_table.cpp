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
  std::vector<kumiko_solver_entry> c_solvers;
  std::vector<kumiko_case_entry> c_cases;
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
    t.c_solvers.push_back({factory.name.c_str(), factory.help.c_str(), parameters.data(),
                           parameters.size(), &factory, make<amr::Solver, kumiko_solver>});
  }
  for (const auto& factory : t.cases) {
    const ParameterTable& parameters = t.parameters.emplace_back(factory.parameters);
    t.c_cases.push_back({factory.name.c_str(), factory.help.c_str(), parameters.data(),
                         parameters.size(), &factory, make<amr::Case, kumiko_case>});
  }
  t.plugin = {KUMIKO_ABI_VERSION, kBuiltWith,       nullptr,         t.c_solvers.data(),
              t.c_solvers.size(), t.c_cases.data(), t.c_cases.size()};
}

PluginTable::PluginTable(const char* failure) : tables_(std::make_unique<Tables>()) {
  tables_->failure = failure;
  tables_->plugin.abi_version = KUMIKO_ABI_VERSION;
  tables_->plugin.built_with = kBuiltWith;
  tables_->plugin.failure = tables_->failure.c_str();
}

PluginTable::PluginTable(PluginTable&&) noexcept = default;
PluginTable::~PluginTable() = default;

const kumiko_plugin* PluginTable::plugin() const { return &tables_->plugin; }

}  // namespace kumiko::plugin::detail
