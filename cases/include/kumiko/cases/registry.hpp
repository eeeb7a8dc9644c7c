// The shipped cases, by name.
#pragma once

#include <string_view>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/entry.hpp>

namespace kumiko::cases {

using CaseEntry = amr::Entry<amr::Case>;

/// Every case, sorted by name.
const std::vector<CaseEntry>& case_entries();

/// The case of a name, or nullptr.
inline const CaseEntry* find_case(std::string_view name) {
  return amr::find_entry(case_entries(), name);
}

}  // namespace kumiko::cases
