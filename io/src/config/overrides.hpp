// Overrides of the command line, and the settings of the file that they replace.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <kumiko/io/detail/setting.hpp>

namespace kumiko::io {

inline constexpr const char* kSteps = "time.steps";
inline constexpr const char* kCfl = "time.cfl";
inline constexpr const char* kSolverName = "solver.name";
inline constexpr const char* kCaseName = "case.name";

inline bool is_override(const detail::Setting& setting) {
  return std::holds_alternative<detail::OverrideText>(setting.value);
}

/// Reads KEY=VALUE. Throws ConfigError.
detail::Setting read_override(const std::string& text);

/// A line for each override that replaces an earlier one by another value.
std::vector<std::string> replaced_overrides(const std::vector<detail::Setting>& settings);

/// If the command line gives the CFL number or the number of steps, and the file the other one,
/// removes the file's.
void drop_other_step(std::vector<detail::Setting>& settings);

/// If the command line names another solver or case than the file, removes the file's other keys of
/// that table, which are about one that this run does not have.
/// \param name_key  kSolverName or kCaseName
/// \param fallback  the name if the file has none
void drop_replaced(std::vector<detail::Setting>& settings, std::string_view name_key,
                   std::string_view fallback);

}  // namespace kumiko::io
