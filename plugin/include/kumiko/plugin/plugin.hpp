// Makes a plugin from classes. Include this in a source file with your own solvers or cases.
#pragma once

#include <kumiko/plugin/detail/plugin_table.hpp>

/// KUMIKO_PLUGIN(Class...): once in a shared object, outside namespaces, with every class that it
/// offers. Each is derived from kumiko::amr::Solver or kumiko::amr::Case and has
///
///     static kumiko::amr::Description describe();       // name, help, parameters
///     explicit Class(const kumiko::amr::ParameterSet&); // std::invalid_argument to refuse
///
/// Exceptions of members end the run with their message and the file's name: std::invalid_argument
/// before the first step as a wrong request (exit code 2), all others as a failed run (exit code
/// 1).
#define KUMIKO_PLUGIN(...)                                                                       \
  extern "C" __attribute__((visibility("default"))) const kumiko_plugin* kumiko_plugin_entry() { \
    static const kumiko::plugin::detail::PluginTable table =                                     \
        kumiko::plugin::detail::plugin_table<__VA_ARGS__>();                                     \
    return table.plugin();                                                                       \
  }
