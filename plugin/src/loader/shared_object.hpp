// Loads a plugin's shared object and checks what it offers.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::plugin::detail {

/// The file cannot be used as a plugin; the message names it and the remedy.
class PluginError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class First, class... Values>
  PluginError(fmt::format_string<First, Values...> message, First&& first, Values&&... values)
      : std::runtime_error(
            fmt::format(message, std::forward<First>(first), std::forward<Values>(values)...)) {}
};

/// Throws PluginError where a file is wrong. The values are evaluated in any case.
template <class... Values>
void refuse_if(bool is_wrong, fmt::format_string<Values...> message, Values&&... values) {
  if (is_wrong) throw PluginError(fmt::format(message, std::forward<Values>(values)...));
}

/// Whether a file mentions the symbol that every plugin exports. Reads it, runs nothing of it.
/// Throws PluginError when this process may not open one more file.
bool mentions_entry(const std::filesystem::path& file);

/// Of a file that does not mention it, as SkippedFile has it.
std::string why_no_plugin(const std::filesystem::path& file);

/// What a plugin offers, checked.
struct Offer {
  std::vector<SolverFactory> solvers;
  std::vector<CaseFactory> cases;
  std::string warning;  ///< if it changed something for the whole program: see Registry
};

/// Loads a plugin for good. Throws PluginError.
Offer load(const std::filesystem::path& file);

}  // namespace kumiko::plugin::detail
