// Loads a plugin's shared object and checks what it offers.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <vector>

#include <kumiko/plugin/plugin_abi.h>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::plugin::detail {

/// The file cannot be used as a plugin; the message names it and the remedy.
class PluginError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether a file mentions the symbol that every plugin exports. Reads it, runs nothing of it.
/// Throws PluginError when this process may not open one more file.
bool mentions_entry(const std::filesystem::path& file);

/// What a plugin offers, checked.
struct Offer {
  std::vector<SolverFactory> solvers;
  std::vector<CaseFactory> cases;
};

/// Loads a plugin for good. Throws PluginError.
Offer load(const std::filesystem::path& file);

}  // namespace kumiko::plugin::detail
