// The steal policies that have a name.
#pragma once

#include <array>
#include <string_view>

#include <kumiko/runtime/policy/near_first.hpp>
#include <kumiko/runtime/policy/stealing.hpp>
#include <kumiko/runtime/policy/uniform.hpp>

namespace kumiko::runtime::policy {

/// A policy and its name in the environment variable KUMIKO_STEALING.
struct NamedStealing {
  std::string_view name;  ///< its name in the environment
  AnyStealing (*make)();  ///< makes the policy
};

/// All named policies; the first is the runtime's own choice.
inline constexpr std::array kStealingTable{
    NamedStealing{"near_first", [] { return AnyStealing(NearFirst{}); }},
    NamedStealing{"uniform", [] { return AnyStealing(Uniform{}); }},
};

/// The policy of this name, or nothing if the table has none.
inline AnyStealing stealing_by(std::string_view name) {
  for (const NamedStealing& row : kStealingTable) {
    if (row.name == name) return row.make();
  }
  return {};
}

}  // namespace kumiko::runtime::policy
