// Numbers of things, in messages and tables.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace kumiko::app {

/// "1 worker", "2 workers"; with `many`, "1 patch", "2 patches".
std::string counted(std::integral auto count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace kumiko::app
